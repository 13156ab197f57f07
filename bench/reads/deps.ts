import { tmpdir } from 'node:os';
import { Disk } from 'flydrive';
import { FSDriver } from 'flydrive/drivers/fs';
import pino from 'pino';
import { createPublicClient, custom } from 'viem';
import type { AppDeps } from '../../engine/http/deps.ts';
import { deriveKeys } from '../../engine/secrets/keys.ts';
import { SECRET } from './processes.ts';

/** Dependencies of the app for reads within this process, where its statements can be recorded. */
export function benchDeps(): Omit<AppDeps, 'pool'> {
  return {
    deployment: {
      chainId: 31_337,
      genesisHash: `0x${'ab'.repeat(32)}`,
      contractAddress: `0x${'c0'.repeat(20)}`,
      startBlock: 1,
      explorerUrl: null,
    },
    client: createPublicClient({
      transport: custom({ request: () => Promise.reject(new Error('there is no chain here')) }),
    }),
    queueStats: async () => ({ waiting: 0, active: 0, delayed: 0 }),
    jobs: { pushReport: async () => {} },
    logger: pino({ level: 'silent' }),
    allowedOrigins: ['http://127.0.0.1:4000'],
    operators: [],
    enabled: new Set(),
    publicUrl: 'http://127.0.0.1:4000',
    keys: deriveKeys([SECRET]),
    files: new Disk(new FSDriver({ location: tmpdir(), visibility: 'private' })),
    clock: Date.now,
    limits: { take: async () => undefined },
    trustedProxies: 0,
    // A cached response has no statement to record.
    cacheMiB: 0,
  };
}
