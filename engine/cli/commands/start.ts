import { join } from 'node:path';
import { Listr } from 'listr2';
import pc from 'picocolors';
import type { Env } from '../../env.ts';
import type { AuditReport } from '../../settlement/audit.ts';
import { askApi } from '../api-client.ts';
import { untilStopped } from '../connect.ts';
import { CommandError, exitCodes } from '../exit-codes.ts';
import { choosePorts } from '../ports.ts';
import { readRunning, removeRunning, writeRunning } from '../running.ts';
import { ensureSite } from '../site/ensure.ts';
import {
  allVerified,
  auditStack,
  isClean,
  type SalesVerified,
  salesTitle,
  untilSettled,
  verifyEverySale,
} from '../start/check.ts';
import { fillSample } from '../start/fill.ts';
import { confirmOwnApi } from '../start/own-api.ts';
import { screenOf } from '../start/screen.ts';
import { type Stack, startStack } from '../start/stack.ts';
import { Teardown } from '../teardown.ts';

export interface StartOptions {
  /** Verify everything, print the result and exit. */
  readonly check: boolean;
  readonly json: boolean;
}

interface Context {
  stack?: Stack;
  sales?: SalesVerified;
  report?: AuditReport;
}

/**
 * Runs `tributary start`: starts all parts and runs until Ctrl-C, or with `--check` until everything
 * is verified. Parts are stopped in reverse order, also after an error.
 */
export async function runStart(configured: Env, options: StartOptions): Promise<void> {
  const running = await readRunning(configured);
  if (running !== undefined) {
    throw new CommandError(
      `Tributary is already running here (process ${running.pid}, ${running.apiUrl}). Stop it first, or set DATA_DIR.`,
    );
  }
  const env = await choosePorts(configured);
  if (env.port !== configured.port && !options.json) {
    console.log(
      pc.yellow(`Port ${configured.port} is in use: the API listens on port ${env.port}.`),
    );
  }
  const teardown = new Teardown();
  const stopped = untilStopped().then(() => undefined);
  try {
    const work = run(env, options, teardown, stopped);
    await Promise.race([work, stopped]);
  } finally {
    if (!options.json) console.log(pc.dim('Stopping …'));
    await removeRunning(env);
    await teardown.run();
  }
}

async function run(
  env: Env,
  options: StartOptions,
  teardown: Teardown,
  stopped: Promise<undefined>,
): Promise<void> {
  const { stack, sales, report } = await new Listr<Context>(tasksOf(env, options, teardown), {
    silentRendererCondition: options.json,
    fallbackRenderer: 'simple',
    // `runStart` handles Ctrl-C, to stop the parts in order.
    registerSignalListeners: false,
  }).run({});
  if (stack === undefined) throw new Error('the tasks ended without a running system');
  const status = await askApi(stack.apiUrl, (client) => client.system.status({}));
  const recent = await askApi(stack.apiUrl, (client) => client.receipts.recent({ limit: 1 }));
  const saleId = recent.data.items[0]?.saleId;
  if (sales !== undefined && report !== undefined) {
    finishCheck(options, stack, sales, report);
    return;
  }
  if (options.json) console.log(JSON.stringify({ apiUrl: stack.apiUrl, ...status.data }));
  else console.log(screenOf(stack, status.data, saleId));
  const broken = await Promise.race([stack.broken, stopped]);
  if (broken !== undefined) throw new CommandError(broken);
}

function tasksOf(env: Env, { check }: StartOptions, teardown: Teardown) {
  return [
    {
      title: 'Checking the site',
      task: async (_context: Context, task: { title: string }) => {
        const logFile = join(env.dataDir, 'logs', 'site.log');
        const built = await ensureSite(logFile, () => {
          task.title = 'Building the site';
        });
        task.title = built ? 'Site built' : `The site could not be built: see ${logFile}`;
      },
    },
    {
      title: 'Starting all parts',
      task: async (context: Context, task: { output: string; title: string }) => {
        context.stack = await startStack(env, teardown, {
          progress: (text) => {
            task.output = text;
          },
          log: (line) => console.error(pc.yellow(line)),
        });
        const { chain, apiUrl, databaseUrl, sample } = context.stack;
        await orBroken(context.stack, confirmOwnApi(context.stack));
        await writeRunning(env, {
          pid: process.pid,
          apiUrl,
          rpcUrl: sample ? chain.rpcUrls[0] : undefined,
          databaseUrl: env.databaseUrl === undefined ? withoutPassword(databaseUrl) : undefined,
          chainId: chain.chainId,
          startBlock: chain.startBlock,
          contractAddress: chain.contractAddress,
        });
        task.title = `Started PostgreSQL, chain, indexer, ${env.workers} worker(s) and API`;
      },
    },
    {
      title: 'Settling the chain',
      task: async ({ stack }: Context, task: { output: string; title: string }) => {
        if (stack === undefined) return;
        const { settled } = await orBroken(
          stack,
          untilSettled(
            stack,
            {
              progress: ({ settled, head }) => {
                task.output = `block ${settled} of ${head}`;
              },
              waiting: (sentence) => console.error(pc.yellow(sentence)),
            },
            check,
          ),
        );
        task.title = `Settled up to block ${settled}`;
      },
    },
    {
      title: 'Adding profiles, products and orders to the sample',
      enabled: env.chain === undefined,
      task: async ({ stack }: Context, task: { output: string; title: string }) => {
        if (stack === undefined) return;
        await orBroken(stack, confirmOwnApi(stack));
        const filling = fillSample(env, stack, (text) => {
          task.output = text;
        });
        task.title = await orBroken(stack, filling);
      },
    },
    {
      title: 'Verifying every sale against the chain',
      enabled: check,
      // Failed sales are printed at the end, together with violations.
      exitOnError: ({ sales }: Context) => sales === undefined,
      task: async (context: Context, task: { output: string; title: string }) => {
        if (context.stack === undefined) return;
        await orBroken(context.stack, confirmOwnApi(context.stack));
        const verifying = verifyEverySale(context.stack, (done) => {
          task.output = `${done} sales`;
        });
        context.sales = await orBroken(context.stack, verifying);
        task.title = salesTitle(context.sales);
        if (!allVerified(context.sales)) throw new CommandError(task.title);
      },
    },
    {
      title: 'Auditing the invariants',
      enabled: check,
      exitOnError: ({ report }: Context) => report === undefined,
      task: async (context: Context, task: { title: string }) => {
        if (context.stack === undefined) return;
        context.report = await auditStack(context.stack);
        const { violations, campaigns } = context.report;
        task.title = `Audited ${campaigns} campaigns: ${violations.length} violations`;
        if (!isClean(context.report)) throw new CommandError(task.title);
      },
    },
  ];
}

/** Waits for work. @throws {CommandError} if a part ends for good meanwhile. */
async function orBroken<T>({ broken }: Stack, work: Promise<T>): Promise<T> {
  const failed = broken.then((sentence) => {
    throw new CommandError(sentence);
  });
  return await Promise.race([work, failed]);
}

function withoutPassword(databaseUrl: string): string {
  const url = new URL(databaseUrl);
  url.password = '';
  return url.href;
}

function finishCheck(
  { json }: StartOptions,
  { apiUrl }: Stack,
  sales: SalesVerified,
  report: AuditReport,
): void {
  const { verified, passed, failures } = sales;
  const { violations, discrepancies, campaigns, blockNumber } = report;
  const ok = allVerified(sales) && isClean(report);
  if (!ok) process.exitCode = exitCodes.failed;
  if (json) {
    console.log(JSON.stringify({ ok, apiUrl, ...sales, ...report }, null, 2));
    return;
  }
  console.log(`
  settled block   ${blockNumber}
  campaigns       ${campaigns}
  sales verified  ${passed} of ${Math.max(verified, sales.inLedger)}
  violations      ${violations.length}
  discrepancies   ${discrepancies}
`);
  for (const { saleId, check, message } of failures.slice(0, 20)) {
    console.log(pc.red(`  sale ${saleId}: ${check}: ${message}`));
  }
  for (const one of violations.slice(0, 20)) {
    const { campaignId, invariant, subject, expected, actual } = one;
    console.log(
      pc.red(
        `  campaign ${campaignId}: ${invariant} (${subject ?? ''}): ${expected}, not ${actual}`,
      ),
    );
  }
  console.log(ok ? pc.green('  All checks passed.') : pc.red('  Some checks failed.'));
}
