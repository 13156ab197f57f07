import { toEventSelector } from 'viem';
import { referralCommerceAbi } from '../../abis/index.ts';
import { type CheckName, checkNames, type Verification } from '../../engine/verify/index.ts';
import type { Question } from './clients.ts';

/** Status of each check. */
export function statuses({ checks }: Verification): Record<string, string> {
  return Object.fromEntries(checks.map(({ name, status }) => [name, status]));
}

/** All checks with one status, but those named. */
export function only(named: Record<string, string>, others = 'pass'): Record<string, string> {
  return { ...Object.fromEntries(checkNames.map((name) => [name, others])), ...named };
}

export function messageOf({ checks }: Verification, name: CheckName): string {
  return checks.find((check) => check.name === name)?.message ?? '';
}

/** Whether a request asks for the logs of an event. */
export function requestsOf(name: string): (question: Question) => boolean {
  return ({ method, params }) =>
    method === 'eth_getLogs' && JSON.stringify(params).includes(selector(name));
}

function selector(name: string): string {
  const item = referralCommerceAbi.find((entry) => entry.type === 'event' && entry.name === name);
  return item?.type === 'event' ? toEventSelector(item) : '0x';
}
