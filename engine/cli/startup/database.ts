import { setTimeout } from 'node:timers/promises';
import { DatabaseUrlError, parseDatabaseUrl, placeOf } from '../../database-url.ts';
import { closePool, openPool, sessionName } from '../../db/connection.ts';
import { isPooledByTransaction, POOLED_BY_TRANSACTION } from '../../db/transaction-pooling.ts';
import { exitCodes } from '../exit-codes.ts';
import { type CheckResult, type Finding, messageOf, type StartupCheck } from './startup-check.ts';

/** Milliseconds until a server that is starting is asked again. */
const RETRY_MS = 250;

/** Asks the database of `DATABASE_URL` for its time. Without it nothing can run. */
export function databaseCheck(databaseUrl: string): StartupCheck {
  const place = placeOf(parseDatabaseUrl(databaseUrl));
  return {
    late: refusal(`DATABASE_URL: PostgreSQL at ${place} does not respond.`),
    run: (signal) => ask(databaseUrl, place, signal),
  };
}

async function ask(databaseUrl: string, place: string, signal: AbortSignal): Promise<CheckResult> {
  const pool = openPool(databaseUrl, { applicationName: sessionName('start-up check'), max: 1 });
  try {
    for (;;) {
      try {
        await pool`select 1`;
        const before = Date.now();
        const [row] = await pool<{ ms: string }[]>`
          select floor(extract(epoch from clock_timestamp()) * 1000)::text as ms`;
        const aheadMs = (before + Date.now()) / 2 - Number(row?.ms);
        if (await isPooledByTransaction(databaseUrl)) {
          return { findings: [refusal(`DATABASE_URL ${POOLED_BY_TRANSACTION}.`)] };
        }
        return { clocks: [{ source: 'PostgreSQL', aheadMs }] };
      } catch (error) {
        if (signal.aborted || !isWorthAnotherTry(error)) throw error;
        await setTimeout(RETRY_MS);
      }
    }
  } catch (error) {
    return { findings: [refusal(sentenceOf(error, place))] };
  } finally {
    await closePool(pool, 0);
  }
}

function refusal(sentence: string): Finding {
  return { sentence, exitCode: exitCodes.unavailable };
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

/** True if the server starts, or did not respond in time: the machine may be busy. */
function isWorthAnotherTry(error: unknown): boolean {
  return ['57P03', 'CONNECT_TIMEOUT'].includes(codeOf(error));
}

/** Sentence about an error of the first connection to a database. */
export function databaseSentence(error: unknown, databaseUrl: string): string {
  return sentenceOf(error, placeOf(parseDatabaseUrl(databaseUrl)));
}

function sentenceOf(error: unknown, place: string): string {
  const code = codeOf(error);
  const variable = 'DATABASE_URL';
  if (error instanceof DatabaseUrlError) return `${variable} ${error.message}.`;
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    return `${variable}: the certificate of PostgreSQL at ${place} is of another host (${messageOf(error)}).`;
  }
  if (/CERT|SIGNATURE/.test(code)) {
    return `${variable}: the certificate of PostgreSQL at ${place} is not trusted (${code}). Name the file of its authority with sslrootcert=…, or in NODE_EXTRA_CA_CERTS.`;
  }
  if (code === 'ECONNREFUSED' || code === 'ENOENT') {
    return `${variable}: nothing listens at ${place}. Is PostgreSQL running there?`;
  }
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    return `${variable}: the host of ${place} is not known (${code}).`;
  }
  if (code === 'CONNECT_TIMEOUT') return `${variable}: PostgreSQL at ${place} does not respond.`;
  if (code === '57P03') return `${variable}: PostgreSQL at ${place} is still starting.`;
  if (code === '28P01' || code === '28000') {
    return `${variable}: PostgreSQL at ${place} refuses the user or the password (${messageOf(error)}).`;
  }
  if (code === '3D000') {
    return `${variable}: PostgreSQL at ${place} does not have that database (${messageOf(error)}).`;
  }
  if (code === '53300') return `${variable}: PostgreSQL at ${place} takes no more connections.`;
  return `${variable}: PostgreSQL at ${place} cannot be used (${messageOf(error)}).`;
}
