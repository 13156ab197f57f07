import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { freePort } from '../../../engine/cli/stack/free-port.ts';
import { type Child, spawnChild } from '../../../engine/cli/stack/processes.ts';
import { waitFor } from '../../support/wait-for.ts';

/** A Redis that a simulation may treat as badly as it likes. */
export class SimulatedRedis {
  #server: Child | undefined;

  private constructor(
    readonly dir: string,
    readonly port: number,
  ) {}

  static async start(dir: string): Promise<SimulatedRedis> {
    await mkdir(dir, { recursive: true });
    const redis = new SimulatedRedis(dir, await freePort());
    await redis.#run();
    return redis;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  /** Everything in it is gone, as after a wrong command. */
  async flush(): Promise<void> {
    await this.#command((client) => client.flushall());
  }

  /** Ends it hard, and starts it again with what it had saved last: nothing, where it never did. */
  async crash(): Promise<void> {
    await this.#server?.kill();
    await this.#run();
  }

  /** Keeps what it holds now, for the next `crash` to go back to. */
  async save(): Promise<void> {
    await this.#command((client) => client.save());
  }

  async stop(): Promise<void> {
    await this.#server?.stop();
  }

  async #run(): Promise<void> {
    this.#server = spawnChild({
      name: 'redis-server',
      command: 'redis-server',
      args: [
        ...['--port', String(this.port), '--bind', '127.0.0.1'],
        ...['--save', '', '--dir', this.dir],
      ],
      logFile: join(this.dir, 'redis.log'),
    });
    await waitFor(() => this.#command(async (client) => (await client.ping()) === 'PONG'), {
      what: 'redis-server to answer',
    });
  }

  async #command<T>(work: (client: Redis) => Promise<T>): Promise<T> {
    const client = new Redis(this.url, { lazyConnect: true, retryStrategy: () => null });
    client.on('error', () => {});
    try {
      await client.connect();
      return await work(client);
    } finally {
      client.disconnect();
    }
  }
}
