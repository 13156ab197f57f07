import { conclude } from '../../conclude.ts';
import type { ParsedBundle } from '../parse.ts';
import type { BundleTrust } from '../types.ts';

/** Checks that the bundle is about the contract that the reader trusts: any contract can emit such logs. */
export function checkContract(
  { contractAddress, chainId }: ParsedBundle,
  trust: Pick<BundleTrust, 'contractAddress' | 'chainId'>,
) {
  const trusted = trust.contractAddress?.toLowerCase();
  const problems: string[] = [];
  if (trusted !== undefined && trusted !== contractAddress) {
    problems.push(`The bundle is about contract ${contractAddress}, not ${trusted}.`);
  }
  if (trust.chainId !== undefined && trust.chainId !== chainId) {
    problems.push(`The bundle is labelled with chain ${chainId}, not ${trust.chainId}.`);
  }
  const missing =
    trusted === undefined
      ? [`The bundle is about contract ${contractAddress}. Name the contract that you expect.`]
      : [];
  return conclude('contract', {
    pass: `The logs are those of contract ${contractAddress}, the expected one; the label says chain ${chainId}.`,
    problems,
    missing,
    evidence: { contractAddress, chainId, trusted: trusted ?? null },
  });
}
