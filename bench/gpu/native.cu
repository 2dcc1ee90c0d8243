// The kernels of six examples in CUDA C++, written the same way, for a comparison with nvcc -O3.
// Sizes are 64 bits wide on the outside, as the compiled Python kernels have them.
#include <math_constants.h>

extern "C" __global__ void transpose(const float *__restrict__ a, float *__restrict__ out, long long rows, long long cols)
{
    __shared__ float tile[16][17];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
    tile[ty][tx] = row < rows && col < cols ? a[row * cols + col] : 0.0f;
    __syncthreads();
    row = blockIdx.x * 16 + ty;
    col = blockIdx.y * 16 + tx;
    if (row < cols && col < rows)
        out[row * rows + col] = tile[tx][ty];
}

extern "C" __global__ void row_sums(const float *__restrict__ a, float *__restrict__ out, long long rows, long long cols)
{
    __shared__ float part[256];
    int row = blockIdx.x, t = threadIdx.x;
    float total = 0.0f;
    for (long long col = t; col < cols; col += 256)
        total += a[row * cols + col];
    part[t] = total;
    __syncthreads();
    for (int step = 128; step > 0; step /= 2) {
        if (t < step)
            part[t] += part[t + step];
        __syncthreads();
    }
    if (t == 0)
        out[row] = part[0];
}

extern "C" __global__ void softmax(const float *__restrict__ scores, float *__restrict__ out, long long rows, long long cols)
{
    long long row = blockIdx.x;
    int lane = threadIdx.x;
    float top = -CUDART_INF_F;
    for (long long col = lane; col < cols; col += 32)
        top = fmaxf(top, scores[row * cols + col]);
    for (int step = 16; step > 0; step /= 2)
        top = fmaxf(top, __shfl_xor_sync(0xffffffffu, top, step));
    float total = 0.0f;
    for (long long col = lane; col < cols; col += 32)
        total += expf(scores[row * cols + col] - top);
    for (int step = 16; step > 0; step /= 2)
        total += __shfl_xor_sync(0xffffffffu, total, step);
    for (long long col = lane; col < cols; col += 32)
        out[row * cols + col] = expf(scores[row * cols + col] - top) / total;
}

extern "C" __global__ void stencil(const float *__restrict__ x, float *__restrict__ out, long long n)
{
    __shared__ float tile[66];
    int t = threadIdx.x;
    long long first = blockIdx.x * 64LL, i = first + t;
    tile[t + 1] = i < n ? x[i] : 0.0f;
    if (t == 0) {
        tile[0] = 0 < first && first <= n ? x[first - 1] : 0.0f;
        tile[65] = first + 64 < n ? x[first + 64] : 0.0f;
    }
    __syncthreads();
    if (i < n)
        out[i] = 0.25f * tile[t] + 0.5f * tile[t + 1] + 0.25f * tile[t + 2];
}

extern "C" __global__ void histogram(const int *__restrict__ values, int *__restrict__ counts, long long n)
{
    __shared__ int own[64];
    int t = threadIdx.x;
    own[t] = 0;
    __syncthreads();
    long long step = (long long)gridDim.x * blockDim.x;
    for (long long i = blockIdx.x * (long long)blockDim.x + t; i < n; i += step) {
        int b = values[i];
        if (b >= 0 && b < 64)
            atomicAdd(&own[b], 1);
    }
    __syncthreads();
    atomicAdd(&counts[t], own[t]);
}

extern "C" __global__ void matmul(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c, long long rows, long long inner, long long cols)
{
    __shared__ float left[16][16], right[16][16];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
    float total = 0.0f;
    for (long long first = 0; first < inner; first += 16) {
        left[ty][tx] = row < rows && first + tx < inner ? a[row * inner + first + tx] : 0.0f;
        right[ty][tx] = first + ty < inner && col < cols ? b[(first + ty) * cols + col] : 0.0f;
        __syncthreads();
        for (int k = 0; k < 16; ++k)
            total += left[ty][k] * right[k][tx];
        __syncthreads();
    }
    if (row < rows && col < cols)
        c[row * cols + col] = total;
}
