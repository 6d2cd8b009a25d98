#!/usr/bin/python3
import socket
socket.socket(socket.AF_UNIX).bind("out")
