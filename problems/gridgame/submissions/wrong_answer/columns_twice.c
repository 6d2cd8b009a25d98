/* Mistake: Bob may use a column again as soon as another row has been crossed out in between. */
#include <stdio.h>

static int n, grid[8][8];

/* The least total when a row avoids the column of the row above. */
static int total(void) {
    int least[8] = {0}, next[8], best;
    for (int row = 0; row < n; row++) {
        for (int column = 0; column < n; column++) {
            best = row == 0 || n == 1 ? 0 : 1 << 30;
            for (int above = 0; row > 0 && above < n; above++)
                if (above != column && least[above] < best)
                    best = least[above];
            next[column] = best + grid[row][column];
        }
        for (int column = 0; column < n; column++)
            least[column] = next[column];
    }
    best = least[0];
    for (int column = 1; column < n; column++)
        if (least[column] < best)
            best = least[column];
    return best;
}

int main(void) {
    int grids;
    scanf("%d", &grids);
    while (grids--) {
        scanf("%d", &n);
        for (int row = 0; row < n; row++)
            for (int column = 0; column < n; column++)
                scanf("%d", &grid[row][column]);
        printf("%d\n", total());
    }
    return 0;
}
