import { connect } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { Redis } from 'ioredis';
import { exitCodes } from '../exit-codes.ts';
import { messageOf, type StartupCheck } from './startup-check.ts';

/** Asks Redis. @param isNeeded true if the program cannot begin without it. */
export function redisCheck(redisUrl: string, isNeeded: boolean): StartupCheck {
  const { host } = new URL(redisUrl);
  const exit = isNeeded ? { exitCode: exitCodes.unavailable } : {};
  return {
    late: { sentence: `REDIS_URL: Redis at ${host} does not respond.`, ...exit },
    run: async () => {
      const redis = new Redis(redisUrl, {
        lazyConnect: true,
        maxRetriesPerRequest: 0,
        retryStrategy: () => null,
      });
      let reason: unknown;
      redis.on('error', (error) => {
        reason = error;
      });
      try {
        await redis.connect();
        await redis.ping();
        return {};
      } catch (error) {
        const sentence = `REDIS_URL: Redis at ${host} does not respond (${messageOf(reason ?? error)}).`;
        return { findings: [{ sentence, ...exit }] };
      } finally {
        redis.disconnect();
      }
    },
  };
}

/** Connects to a server that is not needed at a start: what is meant for it waits. */
function reachableCheck(url: string, defaultPort: number, variable: string, what: string) {
  const { protocol, hostname, port, host } = new URL(url);
  const sentence = `${variable}: ${what} at ${host} does not respond`;
  return {
    late: { sentence: `${sentence}.` },
    run: async (signal: AbortSignal) => {
      const at = { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) || defaultPort };
      // The program itself verifies the certificate when it sends something.
      const isTls = protocol === 'smtps:';
      const socket = isTls ? connectTls({ ...at, rejectUnauthorized: false }) : connect(at);
      try {
        await new Promise<void>((resolve, reject) => {
          socket.once(isTls ? 'secureConnect' : 'connect', resolve);
          socket.once('error', reject);
          signal.addEventListener('abort', () => reject(signal.reason), { once: true });
        });
        return {};
      } catch (error) {
        return { findings: [{ sentence: `${sentence} (${messageOf(error)}).` }] };
      } finally {
        socket.destroy();
      }
    },
  } satisfies StartupCheck;
}

/** Connects to the mail server. Mails wait while it is away. */
export function mailCheck(smtpUrl: string): StartupCheck {
  const isTls = new URL(smtpUrl).protocol === 'smtps:';
  return reachableCheck(smtpUrl, isTls ? 465 : 587, 'SMTP_URL', 'the mail server');
}

/** Connects to the storage of uploads and exports, which are refused while it is away. */
export function bucketCheck(endpoint: string): StartupCheck {
  const isTls = new URL(endpoint).protocol === 'https:';
  return reachableCheck(endpoint, isTls ? 443 : 80, 'S3_ENDPOINT', 'the storage');
}
