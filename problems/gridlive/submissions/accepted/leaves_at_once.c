/* Right, and written without line ends; leaves by the shortest way after the last column. */

#include <stdio.h>
#include <stdlib.h>

static int n, grid[8][8], used[8], now[8], best[8], least = 1 << 30;

static void search(int row, int total) {
    if (row == n) {
        if (total < least) {
            least = total;
            for (int i = 0; i < n; i++) best[i] = now[i];
        }
        return;
    }
    for (int column = 0; column < n; column++) {
        if (used[column]) continue;
        used[column] = 1;
        now[row] = column;
        search(row + 1, total + grid[row][column]);
        used[column] = 0;
    }
}

int main(void) {
    scanf("%d", &n);
    for (int i = 0; i < n * n; i++) scanf("%d", &grid[i / n][i % n]);
    search(0, 0);
    for (int round = 0; round < n; round++) {
        int row;
        scanf("%d", &row);
        printf("%d ", best[row - 1] + 1);
        fflush(stdout);
    }
    _Exit(0);
}
