// SPDX-License-Identifier: Apache-2.0
//
// The fixed parts of the timeline's page: style, and the script that draws. Between them stand the
// page's own title, tables and data (timeline_html.cpp).
#pragma once

namespace orrery {

inline constexpr const char* kTimelineStyle = R"(
:root{--ink:#1d2733;--dim:#66717d;--line:#d9dee3;--paper:#fff}
body{font:14px/1.45 system-ui,sans-serif;color:var(--ink);background:var(--paper);margin:24px auto;max-width:1240px;padding:0 16px}
h1{font-size:19px;margin:0 0 4px}h2{font-size:15px;margin:22px 0 6px}
pre{font:13px/1.4 ui-monospace,monospace;background:#f5f7f9;padding:10px 12px;overflow-x:auto;border-radius:6px}
canvas{width:100%;display:block;border:1px solid var(--line);border-radius:6px;cursor:grab}
.legend span{display:inline-block;margin-right:16px;color:var(--dim)}
.legend i{display:inline-block;width:12px;height:12px;border-radius:2px;margin-right:5px;vertical-align:-1px}
#tip{position:fixed;pointer-events:none;background:#1d2733;color:#fff;padding:4px 8px;border-radius:4px;font-size:12px;display:none;white-space:pre}
)";

// D: {step, stages: [[begin, end, kind, label, beside]…], memory: [[time, GiB]…], capacity},
// K: [name, colour] by kind. Times in seconds.
inline constexpr const char* kTimelineScript = R"(
const left=52,row=Math.max(14,Math.min(34,Math.floor(620/D.stages.length))),axis=26,mem=120;
const cv=document.getElementById('t'),cx=cv.getContext('2d'),tip=document.getElementById('tip');
const H=D.stages.length*row+axis+mem+22;let from=0,to=D.step,W=0,chosen=D.fullest;
function size(){const r=devicePixelRatio||1;W=cv.clientWidth;cv.style.height=H+'px';cv.width=W*r;cv.height=H*r;cx.setTransform(r,0,0,r,0,0);draw();}
function X(t){return left+(t-from)/(to-from)*(W-left-8);}
function T(x){return from+(x-left)/(W-left-8)*(to-from);}
function show(t){const s=to-from;return s>2?t.toFixed(2)+' s':s>2e-3?(t*1e3).toFixed(s>.02?1:3)+' ms':(t*1e6).toFixed(1)+' us';}
function first(a,t){let lo=0,hi=a.length;while(lo<hi){const m=(lo+hi)>>1;if(a[m][1]<t)lo=m+1;else hi=m;}return lo;}
function draw(){cx.clearRect(0,0,W,H);cx.font='11px system-ui';cx.textBaseline='middle';
 const raw=(to-from)/9,p=Math.pow(10,Math.floor(Math.log10(raw))),step=[1,2,5,10].map(k=>k*p).find(k=>k>=raw);
 cx.fillStyle='#66717d';cx.strokeStyle='#eceff2';cx.textAlign='center';
 for(let t=Math.ceil(from/step)*step;t<=to;t+=step){const x=X(t);cx.beginPath();cx.moveTo(x,axis);cx.lineTo(x,H);cx.stroke();if(x>left+20&&x<W-20)cx.fillText(show(t),x,axis/2);}
 cx.save();cx.beginPath();cx.rect(left,axis,W-left-8,H);cx.clip();
 D.stages.forEach((a,i)=>{const y=axis+i*row;let end=-1;
  for(let k=Math.max(0,first(a,from)-4);k<a.length&&a[k][0]<=to;k++){const s=a[k],x=X(s[0]),w=Math.max(.6,X(s[1])-x);
   if(x+w<=end+.4&&!s[4])continue;end=x+w;const h=s[4]?4:row-3;cx.fillStyle=K[s[2]][1];cx.fillRect(x,s[4]?y+row-6:y+1,Math.max(.6,w-(w>3?.6:0)),h);
   if(w>22&&row>=14&&!s[4]){cx.fillStyle='#fff';cx.textAlign='center';cx.fillText(s[3],x+w/2,y+row/2);}}});
 const y0=axis+D.stages.length*row+16,m=D.memory[chosen],top=Math.max(D.capacity,...m.map(q=>q[1]))*1.04;
 cx.beginPath();let last=null;for(const q of m){const x=X(q[0]),y=y0+mem-q[1]/top*mem;if(last===null)cx.moveTo(x,y);else{cx.lineTo(x,last);cx.lineTo(x,y);}last=y;}
 cx.lineTo(X(D.step),last);cx.lineTo(X(D.step),y0+mem);cx.lineTo(X(0),y0+mem);cx.fillStyle='#b9cfe4';cx.fill();
 const yc=y0+mem-D.capacity/top*mem;cx.strokeStyle='#b3412e';cx.beginPath();cx.moveTo(left,yc);cx.lineTo(W,yc);cx.stroke();
 cx.restore();cx.textAlign='right';D.stages.forEach((a,i)=>{if(row>=14||i%4==0){cx.fillStyle=i==chosen?'#1d2733':'#66717d';cx.fillText(i,left-8,axis+i*row+row/2);}});
 cx.fillStyle='#66717d';cx.fillText(D.capacity.toFixed(0)+' GiB',left-4,yc);cx.textAlign='left';
 cx.fillText('memory of stage '+chosen+' (click a stage), the line is the device\'s capacity',left+4,y0-7);}
function zoom(f,x){const t=T(x);let s=Math.min(D.step,Math.max(D.step*1e-6,(to-from)*f)),k=(t-from)/(to-from);from=Math.max(0,t-k*s);to=Math.min(D.step,from+s);from=to-s;draw();}
cv.addEventListener('wheel',e=>{e.preventDefault();const r=cv.getBoundingClientRect();zoom(e.deltaY>0?1.25:.8,e.clientX-r.left);},{passive:false});
let drag=null,moved=false;
cv.addEventListener('mousedown',e=>{drag=[e.clientX,from];moved=false;});
addEventListener('mouseup',()=>{drag=null;});
cv.addEventListener('click',e=>{const i=stage(e);if(!moved&&i!==null){chosen=i;draw();}});
cv.addEventListener('dblclick',()=>{from=0;to=D.step;draw();});
function stage(e){const i=Math.floor((e.clientY-cv.getBoundingClientRect().top-axis)/row);return i>=0&&i<D.stages.length?i:null;}
cv.addEventListener('mouseleave',()=>{tip.style.display='none';});
cv.addEventListener('mousemove',e=>{if(drag){const s=to-from,d=(drag[0]-e.clientX)/(W-left-8)*s;if(Math.abs(drag[0]-e.clientX)>3)moved=true;from=Math.min(D.step-s,Math.max(0,drag[1]+d));to=from+s;draw();return;}
 const i=stage(e),t=T(e.clientX-cv.getBoundingClientRect().left);let s=null;
 if(i!==null)for(let k=Math.max(0,first(D.stages[i],t)-4);k<D.stages[i].length&&D.stages[i][k][0]<=t;k++){const q=D.stages[i][k];if(q[1]>=t&&!q[4])s=q;}
 if(!s){tip.style.display='none';return;}
 tip.textContent=K[s[2]][0]+' '+s[3]+', stage '+i+'\n'+(s[0]*1e3).toFixed(3)+' to '+(s[1]*1e3).toFixed(3)+' ms ('+((s[1]-s[0])*1e3).toFixed(3)+' ms)';
 tip.style.display='block';tip.style.left=Math.min(innerWidth-260,e.clientX+14)+'px';tip.style.top=(e.clientY+14)+'px';});
addEventListener('resize',size);size();
)";

}  // namespace orrery
