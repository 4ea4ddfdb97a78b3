import { readFileSync } from 'node:fs';
import type { FleetWorkerHealth } from 'opendelivery-client/bullmq';
import { Journal } from '../../lease/runs.js';

/** The process began to poll a shard. */
export interface ShardAssigned {
  readonly at: bigint;
  readonly shard: number;
  readonly pid: number;
}

/** The journal of a process that has shards. */
export class MemberJournal extends Journal {
  /** As the process last wrote it. */
  health: FleetWorkerHealth | undefined;

  override update(): void {
    super.update();
    const last = this.#lines('health').at(-1);
    if (last !== undefined) this.health = JSON.parse(last.slice(last.indexOf('{'))) as FleetWorkerHealth;
  }

  assignments(): ShardAssigned[] {
    return this.#lines('assign').map((line) => {
      const [, at = '0', shard] = line.split(' ');
      return { at: BigInt(at), shard: Number(shard), pid: this.pid };
    });
  }

  #lines(what: string): string[] {
    try {
      const lines = readFileSync(this.path, 'utf8').split('\n').slice(0, -1);
      return lines.filter((line) => line.startsWith(`${what} `));
    } catch {
      return []; // It has written nothing yet.
    }
  }
}
