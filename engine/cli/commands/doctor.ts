import type { ChainValues } from '../../env.ts';
import { examine } from '../doctor/examine.ts';
import { exitCodeOf, printExamination } from '../doctor/report.ts';
import { CommandError, exitCodes } from '../exit-codes.ts';
import { out } from '../output.ts';

/** RPCs that are examined at most: as many as `RPC_QUORUM` can compare. */
const MAX_RPCS = 16;

/**
 * Runs `tributary doctor`: asks RPCs what they can do. Exits 0 if all that Tributary needs is there, 1 if something is
 * missing, 3 if something was not answered.
 */
export async function runDoctor(
  { rpcUrls, ...expected }: ChainValues,
  { rpc, json }: { readonly rpc?: readonly string[]; readonly json?: boolean },
): Promise<void> {
  const urls = rpc === undefined ? (rpcUrls ?? []) : rpc.flatMap(urlsIn);
  const distinct = [...new Set(urls)];
  if (distinct.length === 0) throw wrongUse('Name an RPC: by --rpc <url>, or by RPC_URL.');
  if (distinct.length > MAX_RPCS) throw wrongUse(`Name at most ${MAX_RPCS} RPCs.`);
  const examination = await examine(distinct, expected);
  process.exitCode = exitCodeOf(examination);
  if (json === true) out.json({ ok: process.exitCode === exitCodes.ok, ...examination });
  else printExamination(examination);
}

/** The URLs of an argument, separated by commas. The message repeats none: a URL may hold a key. */
function urlsIn(argument: string): readonly string[] {
  const urls = argument.split(',').map((one) => one.trim());
  if (urls.every((one) => URL.canParse(one) && /^https?:$/.test(new URL(one).protocol)))
    return urls;
  throw wrongUse('--rpc: each RPC must be an http or https address.');
}

function wrongUse(sentence: string): CommandError {
  return new CommandError(sentence, exitCodes.usage);
}
