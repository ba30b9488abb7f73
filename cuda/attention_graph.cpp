// SPDX-License-Identifier: Apache-2.0
#include "cuda/attention_graph.h"

namespace orrery {
namespace {

using Shape = std::array<std::int64_t, 4>;

class Builder {
 public:
  Builder(const MeasuredAttention& a, cudnnHandle_t handle)
      : a_(a),
        handle_(handle),
        io_(a.precision == Precision::bf16 ? CUDNN_DATA_BFLOAT16 : CUDNN_DATA_HALF) {}

  AttentionGraph forward() {
    const std::size_t q = matrix(AttentionTensor::q, queries());
    const std::size_t k = across(AttentionTensor::k);
    const std::size_t v = matrix(AttentionTensor::v, keys());
    std::size_t scores = virtual_of(scores_shape(), CUDNN_DATA_FLOAT);
    multiply(q, k, scores);
    const std::size_t scale = scalar(AttentionTensor::scale);
    scores = pointwise(CUDNN_POINTWISE_MUL, scores, scale, scores_shape());
    if (a_.shape.pairs < 1) scores = masked(scores);
    const std::size_t weights = softmax(scores);
    multiply(weights, v, matrix(AttentionTensor::o, queries()));
    return graph();
  }

  AttentionGraph backward() {
    const std::size_t q = matrix(AttentionTensor::q, queries());
    const std::size_t k = across(AttentionTensor::k);
    const std::size_t v = across(AttentionTensor::v);
    const std::size_t o = matrix(AttentionTensor::o, queries());
    const std::size_t d_o = matrix(AttentionTensor::d_o, queries());
    const std::size_t scale = scalar(AttentionTensor::scale);
    const std::size_t products = pointwise(CUDNN_POINTWISE_MUL, d_o, o, queries());
    const std::size_t row_sums = reduced(CUDNN_REDUCE_TENSOR_ADD, products);
    const std::size_t weights = weights_again(q, k, scale);
    multiply(turned(weights, scores_shape()), d_o, matrix(AttentionTensor::dv, keys()));
    std::size_t slope = virtual_of(scores_shape(), CUDNN_DATA_FLOAT);
    multiply(d_o, v, slope);
    slope = pointwise(CUDNN_POINTWISE_SUB, slope, row_sums, scores_shape());
    slope = pointwise(CUDNN_POINTWISE_MUL, slope, weights, scores_shape());
    const std::size_t scaled = virtual_of(scores_shape(), io_);
    pointwise_into(CUDNN_POINTWISE_MUL, slope, scale, scaled);
    multiply(scaled, upright(k), matrix(AttentionTensor::dq, queries()));
    multiply(turned(scaled, scores_shape()), q, matrix(AttentionTensor::dk, keys()));
    return graph();
  }

 private:
  Shape queries() const { return {a_.shape.groups, 1, a_.shape.queries, a_.shape.head_dim}; }
  Shape keys() const { return {a_.shape.groups, 1, a_.shape.keys, a_.shape.head_dim}; }
  Shape scores_shape() const { return {a_.shape.groups, 1, a_.shape.queries, a_.shape.keys}; }
  Shape rows() const { return {a_.shape.groups, 1, a_.shape.queries, 1}; }
  static Shape transposed(const Shape& s) { return {s[0], s[1], s[3], s[2]}; }
  static Shape dense(const Shape& s) { return {s[1] * s[2] * s[3], s[2] * s[3], s[3], 1}; }

  // Adds a part; gives its position among the parts.
  std::size_t keep(CudnnDescriptor d) {
    out_.parts.push_back(std::move(d));
    return out_.parts.size() - 1;
  }

  CudnnDescriptor tensor(std::int64_t id, cudnnDataType_t type, const Shape& shape,
                         const Shape& strides) {
    constexpr std::int64_t kAlignment = 16;
    CudnnDescriptor d(CUDNN_BACKEND_TENSOR_DESCRIPTOR);
    d.set(CUDNN_ATTR_TENSOR_UNIQUE_ID, CUDNN_TYPE_INT64, id);
    d.set(CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_TYPE_DATA_TYPE, type);
    d.set(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, CUDNN_TYPE_INT64, kAlignment);
    d.set(CUDNN_ATTR_TENSOR_DIMENSIONS, CUDNN_TYPE_INT64, shape.data(), 4);
    d.set(CUDNN_ATTR_TENSOR_STRIDES, CUDNN_TYPE_INT64, strides.data(), 4);
    return d;
  }

  std::size_t with_data(AttentionTensor t, cudnnDataType_t type, const Shape& shape,
                        const Shape& strides) {
    out_.data.push_back(t);
    CudnnDescriptor d = tensor(static_cast<std::int64_t>(t), type, shape, strides);
    return keep(std::move(d.finish("a tensor")));
  }

  std::size_t matrix(AttentionTensor t, const Shape& shape) {
    return with_data(t, io_, shape, dense(shape));
  }
  // Keys or values as the right side of a product takes them: head size by length.
  std::size_t across(AttentionTensor t) {
    return with_data(t, io_, transposed(keys()), transposed(dense(keys())));
  }
  std::size_t stats() {
    return with_data(AttentionTensor::stats, CUDNN_DATA_FLOAT, rows(), dense(rows()));
  }

  // One number, handed over by the host.
  std::size_t scalar(AttentionTensor t) {
    const Shape one = {1, 1, 1, 1};
    out_.data.push_back(t);
    CudnnDescriptor d = tensor(static_cast<std::int64_t>(t), CUDNN_DATA_FLOAT, one, one);
    d.set(CUDNN_ATTR_TENSOR_IS_BY_VALUE, CUDNN_TYPE_BOOLEAN, true);
    return keep(std::move(d.finish("a number")));
  }

  // Between two operations: never written to memory.
  std::size_t virtual_of(const Shape& shape, cudnnDataType_t type) {
    CudnnDescriptor d = tensor(next_virtual_++, type, shape, dense(shape));
    d.set(CUDNN_ATTR_TENSOR_IS_VIRTUAL, CUDNN_TYPE_BOOLEAN, true);
    return keep(std::move(d.finish("a tensor in between")));
  }

  void add_operation(CudnnDescriptor op) {
    op.finish("an operation");
    operations_.push_back(op.raw());
    keep(std::move(op));
  }

  void multiply(std::size_t x, std::size_t y, std::size_t z) {
    CudnnDescriptor mode(CUDNN_BACKEND_MATMUL_DESCRIPTOR);
    mode.set(CUDNN_ATTR_MATMUL_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, CUDNN_DATA_FLOAT).finish("matmul");
    CudnnDescriptor op(CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR);
    op.set(CUDNN_ATTR_OPERATION_MATMUL_ADESC, out_.parts[x]);
    op.set(CUDNN_ATTR_OPERATION_MATMUL_BDESC, out_.parts[y]);
    op.set(CUDNN_ATTR_OPERATION_MATMUL_CDESC, out_.parts[z]);
    op.set(CUDNN_ATTR_OPERATION_MATMUL_DESC, mode);
    keep(std::move(mode));
    add_operation(std::move(op));
  }

  static CudnnDescriptor pointwise_mode(cudnnPointwiseMode_t mode, cudnnDataType_t math) {
    CudnnDescriptor d(CUDNN_BACKEND_POINTWISE_DESCRIPTOR);
    d.set(CUDNN_ATTR_POINTWISE_MODE, CUDNN_TYPE_POINTWISE_MODE, mode);
    d.set(CUDNN_ATTR_POINTWISE_MATH_PREC, CUDNN_TYPE_DATA_TYPE, math);
    return d;
  }

  CudnnDescriptor pointwise_op(CudnnDescriptor mode, std::size_t x, std::size_t y) {
    CudnnDescriptor op(CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR);
    op.set(CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, mode.finish("a mode"));
    keep(std::move(mode));
    op.set(CUDNN_ATTR_OPERATION_POINTWISE_XDESC, out_.parts[x]);
    op.set(CUDNN_ATTR_OPERATION_POINTWISE_YDESC, out_.parts[y]);
    return op;
  }

  std::size_t pointwise(cudnnPointwiseMode_t mode, std::size_t x, const Shape& shape) {
    const std::size_t y = virtual_of(shape, CUDNN_DATA_FLOAT);
    add_operation(pointwise_op(pointwise_mode(mode, CUDNN_DATA_FLOAT), x, y));
    return y;
  }

  void pointwise_into(cudnnPointwiseMode_t mode, std::size_t x, std::size_t b, std::size_t y) {
    CudnnDescriptor op = pointwise_op(pointwise_mode(mode, CUDNN_DATA_FLOAT), x, y);
    op.set(CUDNN_ATTR_OPERATION_POINTWISE_BDESC, out_.parts[b]);
    add_operation(std::move(op));
  }

  std::size_t pointwise(cudnnPointwiseMode_t mode, std::size_t x, std::size_t b,
                        const Shape& shape) {
    const std::size_t y = virtual_of(shape, CUDNN_DATA_FLOAT);
    pointwise_into(mode, x, b, y);
    return y;
  }

  std::size_t index_along(std::int64_t axis, std::size_t like) {
    const std::size_t y = virtual_of(scores_shape(), CUDNN_DATA_INT32);
    CudnnDescriptor mode = pointwise_mode(CUDNN_POINTWISE_GEN_INDEX, CUDNN_DATA_INT32);
    mode.set(CUDNN_ATTR_POINTWISE_AXIS, CUDNN_TYPE_INT64, axis);
    add_operation(pointwise_op(std::move(mode), like, y));
    return y;
  }

  // Scores where the key is not after the query, the most negative number elsewhere.
  std::size_t masked(std::size_t scores) {
    const std::size_t row = index_along(2, scores);
    const std::size_t column = index_along(3, scores);
    const std::size_t seen = virtual_of(scores_shape(), CUDNN_DATA_BOOLEAN);
    CudnnDescriptor compare =
        pointwise_op(pointwise_mode(CUDNN_POINTWISE_CMP_GE, CUDNN_DATA_BOOLEAN), row, seen);
    compare.set(CUDNN_ATTR_OPERATION_POINTWISE_BDESC, out_.parts[column]);
    add_operation(std::move(compare));
    const std::size_t hidden = scalar(AttentionTensor::hidden);
    const std::size_t y = virtual_of(scores_shape(), CUDNN_DATA_FLOAT);
    CudnnDescriptor select =
        pointwise_op(pointwise_mode(CUDNN_POINTWISE_BINARY_SELECT, CUDNN_DATA_FLOAT), scores, y);
    select.set(CUDNN_ATTR_OPERATION_POINTWISE_BDESC, out_.parts[hidden]);
    select.set(CUDNN_ATTR_OPERATION_POINTWISE_TDESC, out_.parts[seen]);
    add_operation(std::move(select));
    return y;
  }

  std::size_t reduced(cudnnReduceTensorOp_t how, std::size_t x) {
    const std::size_t y = virtual_of(rows(), CUDNN_DATA_FLOAT);
    CudnnDescriptor mode(CUDNN_BACKEND_REDUCTION_DESCRIPTOR);
    mode.set(CUDNN_ATTR_REDUCTION_OPERATOR, CUDNN_TYPE_REDUCTION_OPERATOR_TYPE, how);
    mode.set(CUDNN_ATTR_REDUCTION_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, CUDNN_DATA_FLOAT);
    CudnnDescriptor op(CUDNN_BACKEND_OPERATION_REDUCTION_DESCRIPTOR);
    op.set(CUDNN_ATTR_OPERATION_REDUCTION_DESC, mode.finish("a reduction"));
    keep(std::move(mode));
    op.set(CUDNN_ATTR_OPERATION_REDUCTION_XDESC, out_.parts[x]);
    op.set(CUDNN_ATTR_OPERATION_REDUCTION_YDESC, out_.parts[y]);
    add_operation(std::move(op));
    return y;
  }

  // The softmax of forward, from the log-sum-exp it left.
  std::size_t weights_again(std::size_t q, std::size_t k, std::size_t scale) {
    std::size_t scores = virtual_of(scores_shape(), CUDNN_DATA_FLOAT);
    multiply(q, k, scores);
    scores = pointwise(CUDNN_POINTWISE_MUL, scores, scale, scores_shape());
    if (a_.shape.pairs < 1) scores = masked(scores);
    const std::size_t below = pointwise(CUDNN_POINTWISE_SUB, scores, stats(), scores_shape());
    const std::size_t weights = virtual_of(scores_shape(), io_);
    add_operation(
        pointwise_op(pointwise_mode(CUDNN_POINTWISE_EXP, CUDNN_DATA_FLOAT), below, weights));
    return weights;
  }

  // The last two dimensions exchanged, of what lies densely in `shape`.
  std::size_t turned(std::size_t x, const Shape& shape) {
    return reshaped(x, transposed(shape), transposed(dense(shape)));
  }
  // Keys as they lie, of keys that were handed over transposed.
  std::size_t upright(std::size_t x) { return reshaped(x, keys(), dense(keys())); }

  std::size_t reshaped(std::size_t x, const Shape& shape, const Shape& strides) {
    CudnnDescriptor d = tensor(next_virtual_++, io_, shape, strides);
    d.set(CUDNN_ATTR_TENSOR_IS_VIRTUAL, CUDNN_TYPE_BOOLEAN, true);
    const std::size_t y = keep(std::move(d.finish("a transposed tensor")));
    CudnnDescriptor op(CUDNN_BACKEND_OPERATION_RESHAPE_DESCRIPTOR);
    op.set(CUDNN_ATTR_OPERATION_RESHAPE_XDESC, out_.parts[x]);
    op.set(CUDNN_ATTR_OPERATION_RESHAPE_YDESC, out_.parts[y]);
    add_operation(std::move(op));
    return y;
  }

  // In 16 bits, as the second product takes it; writes the log-sum-exp backward needs.
  std::size_t softmax(std::size_t scores) {
    const std::size_t most = reduced(CUDNN_REDUCE_TENSOR_MAX, scores);
    const std::size_t below = pointwise(CUDNN_POINTWISE_SUB, scores, most, scores_shape());
    const std::size_t power = pointwise(CUDNN_POINTWISE_EXP, below, scores_shape());
    const std::size_t sum = reduced(CUDNN_REDUCE_TENSOR_ADD, power);
    const std::size_t log = pointwise(CUDNN_POINTWISE_LOG, sum, rows());
    pointwise_into(CUDNN_POINTWISE_ADD, most, log, stats());
    const std::size_t weights = virtual_of(scores_shape(), io_);
    pointwise_into(CUDNN_POINTWISE_DIV, power, sum, weights);
    return weights;
  }

  AttentionGraph graph() {
    CudnnDescriptor g(CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);
    g.set(CUDNN_ATTR_OPERATIONGRAPH_OPS, CUDNN_TYPE_BACKEND_DESCRIPTOR, operations_.data(),
          static_cast<std::int64_t>(operations_.size()));
    if (handle_ != nullptr) {
      g.set(CUDNN_ATTR_OPERATIONGRAPH_HANDLE, CUDNN_TYPE_HANDLE, handle_);
    }
    g.finish("a graph of attention");
    out_.graph.push_back(std::move(g));
    return std::move(out_);
  }

  const MeasuredAttention& a_;
  cudnnHandle_t handle_;
  cudnnDataType_t io_;
  std::int64_t next_virtual_ = 100;
  std::vector<cudnnBackendDescriptor_t> operations_;
  AttentionGraph out_;
};

}  // namespace

const char* no_attention_graph(const MeasuredAttention& a) {
  if (a.kernel != AttentionKernel::cudnn) return "attention by other kernels than cuDNN's";
  if (a.precision != Precision::bf16 && a.precision != Precision::fp16) {
    return "attention in other than 16 bits";
  }
  if (a.pass == AttentionPass::both) return "attention's passes timed together";
  return "";
}

AttentionGraph attention_graph(const MeasuredAttention& a, cudnnHandle_t handle) {
  Builder b(a, handle);
  return a.pass == AttentionPass::backward ? b.backward() : b.forward();
}

std::int64_t elements_of(AttentionTensor t, const MeasuredAttention& a) {
  const std::int64_t rows = a.shape.groups * a.shape.queries;
  switch (t) {
    case AttentionTensor::stats:
      return rows;
    case AttentionTensor::scale:
    case AttentionTensor::hidden:
      return 1;
    case AttentionTensor::q:
    case AttentionTensor::k:
    case AttentionTensor::v:
    case AttentionTensor::o:
    case AttentionTensor::dq:
    case AttentionTensor::dk:
    case AttentionTensor::dv:
    case AttentionTensor::d_o:
      break;
  }
  return rows * a.shape.head_dim;
}

}  // namespace orrery
