/* Mistake: keeps the numbers of the grid in signed bytes. */
#include <stdio.h>

static signed char grid[8][8];
static int n, least[9], best;

static void place(int row, int taken, int so_far) {
    if (so_far + least[row] >= best)
        return;
    if (row == n) {
        best = so_far;
        return;
    }
    for (int column = 0; column < n; column++)
        if (!(taken >> column & 1))
            place(row + 1, taken | 1 << column, so_far + grid[row][column]);
}

int main(void) {
    int grids;
    scanf("%d", &grids);
    while (grids--) {
        scanf("%d", &n);
        for (int row = 0; row < n; row++)
            for (int column = 0; column < n; column++) {
                int cell;
                scanf("%d", &cell);
                grid[row][column] = cell;
            }
        least[n] = 0;
        for (int row = n - 1; row >= 0; row--) {
            int smallest = grid[row][0];
            for (int column = 1; column < n; column++)
                if (grid[row][column] < smallest)
                    smallest = grid[row][column];
            least[row] = least[row + 1] + smallest;
        }
        best = 8001;
        place(0, 0, 0);
        printf("%d\n", best);
    }
    return 0;
}
