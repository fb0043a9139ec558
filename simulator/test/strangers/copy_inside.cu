// SPDX-License-Identifier: MIT
// Brightness of a grey image; how long does the GPU take?
#include <cstdio>
#include <cstdlib>
#include <cuda.h>
#include <cuda_runtime.h>

#define WIDTH 640
#define HEIGHT 480
#define HANDLE_ERROR(err) (HandleError(err, __FILE__, __LINE__))
static void HandleError(cudaError_t err, const char *file, int line)
{
	if (err != cudaSuccess) {
		printf("%s in %s at line %d\n", cudaGetErrorString(err), file, line);
		exit(EXIT_FAILURE);
	}
}

typedef unsigned char pixel;

__global__ void brighten(pixel *image, int amount)
{
	int x = threadIdx.x + blockIdx.x * blockDim.x;
	int y = threadIdx.y + blockIdx.y * blockDim.y;
	if (x < WIDTH && y < HEIGHT) {
		int value = image[x + y * WIDTH] + amount;
		image[x + y * WIDTH] = min(value, 255);
	}
}

int main(void)
{
	cudaEvent_t start, stop;
	float elapsedTime;
	pixel *bitmap = new pixel[WIDTH * HEIGHT], *dev_bitmap;
	for (int i = 0; i < WIDTH * HEIGHT; i++)
		bitmap[i] = i % 256;

	HANDLE_ERROR(cudaMalloc((void **)&dev_bitmap, WIDTH * HEIGHT));
	HANDLE_ERROR(cudaEventCreate(&start));
	HANDLE_ERROR(cudaEventCreate(&stop));

	HANDLE_ERROR(cudaEventRecord(start, 0));
	HANDLE_ERROR(cudaMemcpy(dev_bitmap, bitmap, WIDTH * HEIGHT, cudaMemcpyHostToDevice));
	dim3 grids((WIDTH + 15) / 16, (HEIGHT + 15) / 16);
	dim3 threads(16, 16);
	brighten<<<grids, threads>>>(dev_bitmap, 50);
	HANDLE_ERROR(cudaMemcpy(bitmap, dev_bitmap, WIDTH * HEIGHT, cudaMemcpyDeviceToHost));
	HANDLE_ERROR(cudaEventRecord(stop, 0));
	HANDLE_ERROR(cudaEventSynchronize(stop));
	HANDLE_ERROR(cudaEventElapsedTime(&elapsedTime, start, stop));
	printf("Time to brighten:  %3.3f ms\n", elapsedTime);

	printf("first pixels: %d %d, bright pixel: %d\n", bitmap[0], bitmap[1], bitmap[255]);
	HANDLE_ERROR(cudaEventDestroy(start));
	HANDLE_ERROR(cudaEventDestroy(stop));
	cudaFree(dev_bitmap);
	int wrong = bitmap[0] != 50 || bitmap[255] != 255;
	delete[] bitmap;
	return wrong;
}
