#!/usr/bin/python3
food = []
while True:
    food.append(bytearray(1 << 20))
