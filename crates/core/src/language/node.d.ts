// What programs use of Node.js, without types: a build does not depend on which types a machine has.
declare module "assert";
declare module "buffer";
declare module "events";
declare module "fs";
declare module "os";
declare module "path";
declare module "process";
declare module "readline";
declare module "stream";
declare module "util";
declare module "worker_threads";
declare module "node:*";
declare var Buffer: any;
declare type Buffer = any;
declare var __dirname: string;
declare var __filename: string;
declare var exports: any;
declare var global: any;
declare var module: any;
declare var process: any;
declare var require: any;
declare namespace NodeJS {
    type ReadableStream = any;
    type Timeout = any;
    type WritableStream = any;
}
