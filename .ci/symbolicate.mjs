/** Prints a stack trace of the packed code with the places in the sources: `node .ci/symbolicate.mjs < stack.txt`. */
import { readFileSync } from 'node:fs';
import { symbolicate } from './maps.mjs';
import { root } from './workshop.mjs';

const STDIN = 0;

process.stdout.write(await symbolicate(readFileSync(process.argv[2] ?? STDIN, 'utf8'), `${root}dist`));
