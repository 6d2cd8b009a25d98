// Mistake: the first program of the source: every game is played out, with a copy of the row at every step. Its
// condition for the turn is right for odd rows too.
#include <bits/stdc++.h>
using namespace std;

pair<int, string> maxScore(vector<int> money, int beg, int ed) {
    int totalTurns = money.size();
    int turnsTillNow = beg + ((totalTurns - 1) - ed);
    if (beg == ed) {
        if (turnsTillNow % 2 == 0)
            return {money[beg], "L"};
        return {0, "L"};
    }
    pair<int, string> scoreOne = maxScore(money, beg + 1, ed);
    pair<int, string> scoreTwo = maxScore(money, beg, ed - 1);
    if (turnsTillNow % 2 == 0) {
        if (money[beg] + scoreOne.first > money[ed] + scoreTwo.first)
            return {money[beg] + scoreOne.first, "L" + scoreOne.second};
        return {money[ed] + scoreTwo.first, "R" + scoreTwo.second};
    }
    if (scoreOne.first < scoreTwo.first)
        return {scoreOne.first, "L" + scoreOne.second};
    return {scoreTwo.first, "R" + scoreTwo.second};
}

int main() {
    int n;
    cin >> n;
    vector<int> money(n);
    for (int &coin : money)
        cin >> coin;
    pair<int, string> answer = maxScore(money, 0, n - 1);
    cout << answer.first << " " << answer.second << endl;
}
