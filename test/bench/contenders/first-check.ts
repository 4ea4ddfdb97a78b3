import { readMerchant } from '../../../src/merchant/read.js';
import { cleanDocument, SIZES } from '../documents.js';

/** CPU time over all threads, in ms. */
export interface FirstCheck {
  readonly parseMs: number;
  readonly oursMs: number;
}

/** Parses and checks a document for the first time in this process. */
export function firstCheck(): FirstCheck {
  const text = JSON.stringify(cleanDocument(SIZES.M));
  let cpu = process.cpuUsage();
  const lapMs = () => {
    const { user, system } = process.cpuUsage(cpu);
    cpu = process.cpuUsage();
    return (user + system) / 1000;
  };
  const document: unknown = JSON.parse(text);
  const parseMs = lapMs();
  readMerchant(document);
  return { parseMs, oursMs: lapMs() };
}
