import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { countOf } from '../../core/count-of.ts';
import type { Env } from '../../env.ts';
import type { AuditReport } from '../../settlement/audit.ts';
import { askApi } from '../api-client.ts';
import { untilStopped } from '../connect.ts';
import { CommandError, exitCodes } from '../exit-codes.ts';
import { out, style } from '../output.ts';
import { choosePorts } from '../ports.ts';
import { removeRunning } from '../running.ts';
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
import { claimFolder } from '../start/claim-folder.ts';
import { fillSample } from '../start/fill.ts';
import { confirmOwnApi } from '../start/own-api.ts';
import { screenOf } from '../start/screen.ts';
import { type Stack, startStack } from '../start/stack.ts';
import { confirmSurroundings } from '../startup/confirm-surroundings.ts';
import { runTasks, type Task } from '../tasks.ts';
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
  const teardown = new Teardown();
  const giveBack = await claimFolder(configured.dataDir, (text) => {
    if (!options.json) out.print(style.dim(`${text} …`));
  });
  teardown.add('the claim of DATA_DIR', async () => giveBack());
  try {
    await runClaimed(configured, options, teardown);
  } finally {
    await teardown.run();
  }
}

/** Runs everything in a folder that belongs to this process alone. */
async function runClaimed(
  configured: Env,
  options: StartOptions,
  teardown: Teardown,
): Promise<void> {
  const env = await choosePorts(configured);
  if (env.port !== configured.port && !options.json) {
    out.print(
      style.yellow(`Port ${configured.port} is in use: the API listens on port ${env.port}.`),
    );
  }
  await confirmSurroundings('start', env, (sentence) => out.error(style.yellow(sentence)));
  const stopped = untilStopped().then(() => undefined);
  try {
    const work = run(env, options, teardown, stopped);
    await Promise.race([work, stopped]);
  } finally {
    if (!options.json) out.print(style.dim('Stopping …'));
    await removeRunning(env);
  }
}

async function run(
  env: Env,
  options: StartOptions,
  teardown: Teardown,
  stopped: Promise<undefined>,
): Promise<void> {
  const tasks = tasksOf(env, options, teardown);
  const { stack, sales, report } = await runTasks<Context>(tasks, {}, options.json);
  if (stack === undefined) throw new Error('the tasks ended without a running system');
  if (sales !== undefined && report !== undefined) {
    finishCheck(options, stack, sales, report);
    return;
  }
  const { status, recent } = await orBroken(stack, firstScreen(stack));
  const saleId = recent.data.items[0]?.saleId;
  if (options.json) out.json({ apiUrl: stack.apiUrl, ...status.data }, 0);
  else out.print(...screenOf(stack, status.data, saleId));
  const broken = await Promise.race([stack.broken, stopped]);
  if (broken !== undefined) throw new CommandError(broken);
}

/** Milliseconds until the API is asked again. */
const RETRY_MS = 1_000;

/** Content of the last screen; asks until the API responds, because it may be restarting. */
async function firstScreen({ apiUrl }: Stack) {
  for (;;) {
    try {
      const [status, recent] = await Promise.all([
        askApi(apiUrl, (client) => client.system.status({})),
        askApi(apiUrl, (client) => client.receipts.recent({ limit: 1 })),
      ]);
      return { status, recent };
    } catch (error) {
      const isAway = error instanceof CommandError && error.exitCode === exitCodes.unavailable;
      if (!isAway) throw error;
      await setTimeout(RETRY_MS);
    }
  }
}

/** Milliseconds between two lines of output that differ in their numbers alone. */
const LINE_MS = 5_000;

/** Leaves out most steps of a long count if the output is no terminal, which would replace each by the next. */
function withoutFlood(show: (text: string) => void): (text: string) => void {
  if (process.stdout.isTTY) return show;
  let [last, shownAt] = ['', Number.NEGATIVE_INFINITY];
  return (text) => {
    const kind = text.replace(/\d+/g, '');
    if (kind === last && performance.now() - shownAt < LINE_MS) return;
    [last, shownAt] = [kind, performance.now()];
    show(text);
  };
}

function tasksOf(env: Env, { check }: StartOptions, teardown: Teardown): Task<Context>[] {
  return [
    checkSite(env),
    startParts(env, teardown),
    settleChain(check),
    ...(env.chain === undefined ? [addSample(env)] : []),
    ...(check ? [verifySales, auditInvariants] : []),
  ];
}

function checkSite({ dataDir }: Env): Task<Context> {
  return {
    title: 'Checking the site',
    task: async (_context, line) => {
      const logFile = join(dataDir, 'logs', 'site.log');
      const built = await ensureSite(logFile, () => {
        line.title('Building the site');
      });
      line.title(built ? 'Site built' : `The site could not be built: see ${logFile}`);
    },
  };
}

function startParts(env: Env, teardown: Teardown): Task<Context> {
  return {
    title: 'Starting all parts',
    task: async (context, line) => {
      context.stack = await startStack(env, teardown, {
        progress: withoutFlood((text) => line.output(text)),
        log: (sentence) => out.error(style.yellow(sentence)),
      });
      await orBroken(context.stack, confirmOwnApi(context.stack));
      line.title(startedTitle(env));
    },
  };
}

function settleChain(check: boolean): Task<Context> {
  return {
    title: 'Settling the chain',
    task: async ({ stack }, line) => {
      if (stack === undefined) return;
      const settling = untilSettled(
        stack,
        {
          progress: ({ settled, head }) => line.output(`block ${settled} of ${head}`),
          waiting: (sentence) => out.error(style.yellow(sentence)),
        },
        check,
      );
      const { settled } = await orBroken(stack, settling);
      line.title(`Settled up to block ${settled}`);
    },
  };
}

function addSample(env: Env): Task<Context> {
  return {
    title: 'Adding profiles, products and orders to the sample',
    task: async ({ stack }, line) => {
      if (stack === undefined) return;
      await orBroken(stack, confirmOwnApi(stack));
      const filling = fillSample(env, stack, (text) => line.output(text));
      line.title(await orBroken(stack, filling));
    },
  };
}

const verifySales: Task<Context> = {
  title: 'Verifying every sale against the chain',
  // Failed sales are printed at the end, together with violations.
  exitOnError: ({ sales }) => sales === undefined,
  task: async (context, line) => {
    const { stack } = context;
    if (stack === undefined) return;
    await orBroken(stack, confirmOwnApi(stack));
    const verifying = verifyEverySale(stack, (done) => line.output(countOf(done, 'sale')));
    context.sales = await orBroken(stack, verifying);
    const title = salesTitle(context.sales);
    line.title(title);
    if (!allVerified(context.sales)) throw new CommandError(title);
  },
};

const auditInvariants: Task<Context> = {
  title: 'Auditing the invariants',
  exitOnError: ({ report }) => report === undefined,
  task: async (context, line) => {
    if (context.stack === undefined) return;
    context.report = await auditStack(context.stack);
    const { violations, campaigns } = context.report;
    const title = `Audited ${countOf(campaigns, 'campaign')}: ${countOf(violations.length, 'violation')}`;
    line.title(title);
    if (!isClean(context.report)) throw new CommandError(title);
  },
};

/** Waits for work. @throws {CommandError} if a part ends for good meanwhile. */
async function orBroken<T>({ broken }: Stack, work: Promise<T>): Promise<T> {
  const failed = broken.then((sentence) => {
    throw new CommandError(sentence);
  });
  return await Promise.race([work, failed]);
}

/** Names the parts that this start runs. */
function startedTitle({ databaseUrl, chain, workers }: Env): string {
  const embedded = [
    ...(databaseUrl === undefined ? ['PostgreSQL'] : []),
    ...(chain === undefined ? ['a local chain'] : []),
  ];
  const named = workers === 1 ? 'a worker' : `${workers} workers`;
  return `Started ${[...embedded, 'the indexer', named].join(', ')} and the API`;
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
    out.json({ ok, apiUrl, ...sales, ...report });
    return;
  }
  out.print(
    '',
    `  settled block   ${blockNumber}`,
    `  campaigns       ${campaigns}`,
    `  sales verified  ${passed} of ${Math.max(verified, sales.inLedger)}`,
    `  violations      ${violations.length}`,
    `  discrepancies   ${discrepancies}`,
    '',
  );
  for (const { saleId, check, message } of failures.slice(0, 20)) {
    out.print(style.red(`  sale ${saleId}: ${check}: ${message}`));
  }
  for (const one of violations.slice(0, 20)) {
    const { campaignId, invariant, subject, expected, actual } = one;
    out.print(
      style.red(
        `  campaign ${campaignId}: ${invariant} (${subject ?? ''}): ${expected}, not ${actual}`,
      ),
    );
  }
  out.print(ok ? style.green('  All checks passed.') : style.red('  Some checks failed.'));
}
