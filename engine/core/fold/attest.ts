import type { Fact } from '../events.ts';
import type { AttesterState } from './state.ts';
import { type FoldStep, report } from './step.ts';

const DAY_SECONDS = 86_400;

/** An attester before its first AttesterAllowed: it may attest nothing. */
const unknownAttester: AttesterState = {
  ...{ perOrder: 0n, daily: 0n, expiry: 0 },
  ...{ day: 0, attested: 0n },
};

/** The day (UTC) of a time: unix days. @param timestamp Unix seconds. */
export function dayOf(timestamp: number): number {
  return Math.floor(timestamp / DAY_SECONDS);
}

/** AttesterAllowed: sets the limits; what the attester attested on the day goes on to count. */
export function allowAttester(step: FoldStep<'AttesterAllowed'>): void {
  const { account, ...limits } = step.fact.args;
  const { attesters } = step.state;
  attesters.set(account, { ...(attesters.get(account) ?? unknownAttester), ...limits });
}

/**
 * Reports an attested sale that its signer could not attest (docs/reference/protocol.md#what-is-signed), and counts
 * it against the limits of the day. The SaleAttested comes immediately before.
 */
export function checkAttestation(step: FoldStep<'SaleRecorded'>): void {
  const { state, fact } = step;
  const { saleId, amount } = fact.args;
  const signer = state.attestation?.saleId === saleId ? state.attestation.signer : null;
  const { trustMode, merchant } = state.campaign ?? {};
  const about = { saleId, account: signer };
  if (trustMode === 'NATIVE_ONCHAIN') {
    if (signer !== null) report(step, 'ATTESTATION', 'none', signer, about);
    return;
  }
  if (trustMode === 'MERCHANT_ATTESTED') {
    if (signer !== merchant) {
      report(step, 'ATTESTATION', merchant ?? 'none', signer ?? 'none', about);
    }
    return;
  }
  if (signer === null || signer === merchant) {
    report(step, 'ATTESTATION', 'an attester', signer ?? 'none', about);
    return;
  }
  const attester = state.attesters.get(signer) ?? unknownAttester;
  const day = dayOf(fact.timestamp);
  const attested = amount + (attester.day === day ? attester.attested : 0n);
  if (fact.timestamp >= attester.expiry) {
    report(step, 'ATTESTATION', `before ${attester.expiry}`, fact.timestamp, about);
  }
  if (amount > attester.perOrder) {
    report(step, 'ATTESTATION', `at most ${attester.perOrder} an order`, amount, about);
  }
  if (attested > attester.daily) {
    report(step, 'ATTESTATION', `at most ${attester.daily} a day`, attested, about);
  }
  state.attesters.set(signer, { ...attester, day, attested });
  step.attester = { account: signer, day, attested };
}

/** The attestation that an event is, for the sale that follows it; `null` of another event. */
export function attestationOf(event: Pick<Fact, 'name' | 'args'>) {
  return event.name === 'SaleAttested' ? (event.args as Fact<'SaleAttested'>['args']) : null;
}
