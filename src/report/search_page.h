// SPDX-License-Identifier: Apache-2.0
//
// The fixed parts of a search's page: style, and the script that draws. Between them stand the
// page's own texts and data (search_html.cpp).
//
// The drawing is plain SVG made by a short script of our own, as in the timeline: a page that
// somebody keeps beside a decision must open in ten years, without a network, and be small;
// charting libraries on npm are 0.3 to 3 MB a page, and bring a build step, for five kinds of
// marks.
#pragma once

namespace orrery {

inline constexpr const char* kSearchStyle = R"(
:root{--ink:#1d2733;--dim:#66717d;--line:#d9dee3;--paper:#fff}
body{font:14px/1.45 system-ui,sans-serif;color:var(--ink);background:var(--paper);margin:24px auto;max-width:1180px;padding:0 16px}
h1{font-size:19px;margin:0 0 4px}h2{font-size:15px;margin:24px 0 4px}p{margin:4px 0 8px;color:var(--dim)}
pre{font:12px/1.4 ui-monospace,monospace;background:#f5f7f9;padding:10px 12px;overflow-x:auto;border-radius:6px}
svg{width:100%;height:auto;display:block}svg text{font:11px system-ui,sans-serif;fill:var(--dim)}
.two{display:grid;grid-template-columns:1fr 1fr;gap:24px}
table{border-collapse:collapse;font-size:12px;width:100%}th,td{padding:3px 7px;text-align:right;border-bottom:1px solid var(--line);white-space:nowrap}
th{cursor:pointer;color:var(--dim)}th.by{color:var(--ink)}tr.picked td{background:#e4edf6}tbody tr{cursor:pointer}
.scroll{overflow:auto;max-height:420px}
.mark{cursor:pointer}.legend span{margin-right:16px}.legend i{display:inline-block;width:10px;height:10px;border-radius:5px;margin-right:5px}
@media print{body{margin:0;max-width:none}.scroll{max-height:none;overflow:visible}section{break-inside:avoid}pre{white-space:pre-wrap}}
)";

// D: {aims: [name, name], points: [{kind, step, peak, aims, words, values, terms, memory}…],
// axes: [name…], terms: [name…], memory: [name…], capacity, heat: {x, y, xs, ys, cells}}.
inline constexpr const char* kSearchScript = R"(
const NS='http://www.w3.org/2000/svg',C={best:'#b3412e',front:'#3b78b5',family:'#9aa5b1'};
const T=['#3b78b5','#8cbf9a','#c9a227','#c07a2c','#a0522d','#7d4b8f','#d9dee3','#3f8f5b','#6a5aa8','#777777','#bbbbbb','#e08a6d'];
let picked=0;const redraw=[];
function el(p,n,a,t){const e=document.createElementNS(NS,n);for(const k in a)e.setAttribute(k,a[k]);if(t!==undefined)e.textContent=t;p.appendChild(e);return e;}
function svg(id,w,h){const s=document.getElementById(id);s.replaceChildren();s.setAttribute('viewBox','0 0 '+w+' '+h);return s;}
function num(x){return x===0?'0':Math.abs(x)>=1e5||Math.abs(x)<1e-3?x.toExponential(2):String(+x.toPrecision(4));}
function pick(i){picked=i;redraw.forEach(f=>f());}
function onPick(e,i){e.classList.add('mark');el(e,'title',{},D.points[i].words);e.addEventListener('click',()=>pick(i));}
function ticks(lo,hi,n){if(!(hi>lo))return[lo];const raw=(hi-lo)/n,p=Math.pow(10,Math.floor(Math.log10(raw))),s=[1,2,5,10].map(k=>k*p).find(k=>k>=raw),t=[];for(let v=Math.ceil(lo/s)*s;v<=hi+s*1e-9;v+=s)t.push(+v.toPrecision(12));return t;}
function scatter(){const W=560,H=360,s=svg('scatter',W,H),L=62,B=H-40,xs=D.points.map(p=>p.aims[0]),ys=D.points.map(p=>p.aims[1]);
 const x0=Math.min(...xs),y0=Math.min(...ys),x1=Math.max(...xs.filter(x=>x<=x0+Math.abs(x0)*4||D.points.length<9),x0+1e-12),y1=Math.max(...ys,y0+1e-12);
 const X=v=>L+(v-x0)/(x1-x0)*(W-L-16),Y=v=>B-(v-y0)/(y1-y0)*(B-14);
 for(const t of ticks(x0,x1,6)){el(s,'line',{x1:X(t),x2:X(t),y1:10,y2:B,stroke:'#eceff2'});el(s,'text',{x:X(t),y:B+15,'text-anchor':'middle'},num(t));}
 for(const t of ticks(y0,y1,6)){el(s,'line',{x1:L,x2:W-12,y1:Y(t),y2:Y(t),stroke:'#eceff2'});el(s,'text',{x:L-6,y:Y(t)+4,'text-anchor':'end'},num(t));}
 el(s,'text',{x:(L+W)/2,y:H-6,'text-anchor':'middle'},D.aims[0]);el(s,'text',{x:12,y:B/2,'text-anchor':'middle',transform:'rotate(-90 12 '+B/2+')'},D.aims[1]);
 for(const k of['family','front','best'])D.points.forEach((p,i)=>{if(p.kind!==k||p.aims[0]>x1)return;onPick(el(s,'circle',{cx:X(p.aims[0]),cy:Y(p.aims[1]),r:i===picked?7:4,fill:C[k],stroke:i===picked?'#1d2733':'#fff','stroke-width':i===picked?2:.8}),i);});}
function shade(q){const a=[59,120,181],b=[240,243,246];return'rgb('+a.map((v,i)=>Math.round(v+(b[i]-v)*q)).join(',')+')';}
function heat(){const h=D.heat,W=560,L=60,R=Math.max(22,Math.min(34,300/h.ys.length)),H=h.ys.length*R+44,s=svg('heat',W,H),w=(W-L-8)/h.xs.length;
 const best=Math.min(...h.cells.flat().filter(c=>c&&c.step>0).map(c=>c.step));
 h.ys.forEach((y,j)=>{el(s,'text',{x:L-6,y:j*R+R/2+4,'text-anchor':'end'},y);h.xs.forEach((x,i)=>{const c=h.cells[j][i];if(!c)return;
  const g=el(s,'g',{}),fits=c.step>0,q=fits?Math.min(1,(c.step/best-1)/.6):0;
  el(g,'rect',{x:L+i*w,y:j*R,width:w-2,height:R-2,fill:fits?shade(q):'#fff',stroke:fits?'none':'#d9dee3'});
  el(g,'text',{x:L+i*w+w/2-1,y:j*R+R/2+3,'text-anchor':'middle',style:fits&&q<.5?'fill:#fff':''},fits?num(c.step):c.why);el(g,'title',{},c.words);});});
 h.xs.forEach((x,i)=>el(s,'text',{x:L+i*w+w/2,y:H-26,'text-anchor':'middle'},x));el(s,'text',{x:(L+W)/2,y:H-8,'text-anchor':'middle'},h.x+' across, '+h.y+' down: seconds a step of the best with both');}
function parallel(){const W=1148,H=300,s=svg('parallel',W,H),A=D.axes.map((n,a)=>a).filter(a=>new Set(D.points.map(p=>p.values[a])).size>1);
 const cols=A.map(a=>({n:D.axes[a],v:[...new Set(D.points.map(p=>p.values[a]))].sort((x,y)=>isNaN(x)||isNaN(y)?String(x).localeCompare(y):x-y),of:p=>p.values[a]}));
 const X=i=>50+i*(W-110)/Math.max(1,cols.length),top=22,B=H-14,lo=Math.min(...D.points.map(p=>p.step)),hi=Math.max(...D.points.map(p=>p.step).filter(t=>t<lo*3));
 const Y=(c,v)=>c.v.length<2?(top+B)/2:B-c.v.indexOf(v)/(c.v.length-1)*(B-top-8),YS=t=>B-(Math.min(t,hi)-lo)/((hi-lo)||1)*(B-top-8);
 const order=D.points.map((p,i)=>i).sort((a,b)=>(a===picked)-(b===picked)||D.points[b].step-D.points[a].step);
 for(const i of order){const p=D.points[i],d=cols.map((c,k)=>X(k)+','+Y(c,c.of(p))).concat(X(cols.length)+','+YS(p.step)).join(' ');
  onPick(el(s,'polyline',{points:d,fill:'none',stroke:i===picked?'#1d2733':C[p.kind],'stroke-width':i===picked?2.5:1,opacity:i===picked?1:p.kind==='family'?.25:.6}),i);}
 cols.concat([{n:'step, s',v:[]}]).forEach((c,k)=>{el(s,'line',{x1:X(k),x2:X(k),y1:top,y2:B,stroke:'#aab3bd'});el(s,'text',{x:X(k),y:12,'text-anchor':'middle'},c.n);
  const every=Math.ceil(c.v.length/12);c.v.forEach((v,j)=>{if(j%every===0)el(s,'text',{x:X(k)+4,y:Y(c,v)+4,style:'paint-order:stroke;stroke:#fff;stroke-width:3px'},String(v).slice(0,16));});});
 for(const t of[lo,hi])el(s,'text',{x:X(cols.length)+5,y:YS(t)+4},num(t));}
function bar(s,y,W,parts,names,total,line){let x=0;const k=(W-20)/Math.max(total,line||0);parts.forEach((v,i)=>{if(v<=0)return;const g=el(s,'g',{});el(g,'rect',{x:10+x*k,y:y,width:Math.max(.5,v*k),height:26,fill:T[i%T.length]});el(g,'title',{},names[i]+' '+num(v));x+=v;});
 if(line)el(s,'line',{x1:10+line*k,x2:10+line*k,y1:y-5,y2:y+31,stroke:'#b3412e','stroke-width':2});}
function legend(s,y,parts,names,unit){let x=10;parts.forEach((v,i)=>{if(v<=0)return;const t=names[i]+' '+num(v)+unit,w=t.length*6+26;if(x+w>1140){x=10;y+=18;}el(s,'rect',{x:x,y:y-9,width:10,height:10,fill:T[i%T.length]});el(s,'text',{x:x+14,y:y},t);x+=w;});}
function bars(){const p=D.points[picked],s=svg('bars',1148,220);el(s,'text',{x:10,y:12,style:'fill:#1d2733'},p.words);
 el(s,'text',{x:10,y:34},'step '+num(p.step)+' s');bar(s,40,1148,p.terms,D.terms,p.step,0);legend(s,84,p.terms,D.terms,' s');
 el(s,'text',{x:10,y:132},'memory '+num(p.peak)+' GiB; the line is the device: '+num(D.capacity)+' GiB');bar(s,138,1148,p.memory,D.memory,p.peak,D.capacity);legend(s,184,p.memory,D.memory,' GiB');}
let by=-1,down=false;
function table(){const t=document.getElementById('table'),cols=['step s','peak GiB'].concat(D.axes),val=(p,c)=>c===0?p.step:c===1?p.peak:p.values[c-2];
 const rows=D.points.map((p,i)=>i);if(by>=0)rows.sort((a,b)=>{const x=val(D.points[a],by),y=val(D.points[b],by),c=isNaN(x)||isNaN(y)?String(x).localeCompare(String(y)):x-y;return down?-c:c;});
 t.replaceChildren();const h=t.createTHead().insertRow();cols.forEach((c,k)=>{const e=document.createElement('th');e.textContent=c+(k===by?(down?' ▾':' ▴'):'');if(k===by)e.className='by';e.onclick=()=>{down=by===k&&!down;by=k;table();};h.appendChild(e);});
 const b=t.createTBody();rows.forEach(i=>{const r=b.insertRow();r.className=i===picked?'picked':'';r.onclick=()=>pick(i);cols.forEach((c,k)=>{const v=val(D.points[i],k);r.insertCell().textContent=k<2?num(v):v;});});}
redraw.push(scatter,parallel,bars,table);heat();pick(0);
)";

}  // namespace orrery
