import type { QueryClient } from '@tanstack/react-query';
import type { DemoPerson, DemoRole } from '../../../engine/contract/demo.ts';
import { pathOf } from '../../../engine/contract/pages.ts';
import { encodeReferralCode } from '../../../engine/core/referral-code.ts';
import { adoptSession, signInWith } from '../account/use-session.ts';
import { api } from '../api.ts';
import { demoWallet, demoWalletId, personOf } from './demo.ts';
import { getTestMoney } from './send-test-money.ts';

/** Addresses at which a role stays when somebody takes it there. */
const own: Readonly<Record<DemoRole, RegExp>> = {
  merchant: /^\/console/,
  partner: /^\/(me(?!\/purchases)|campaigns\/)/,
  buyer: /^\/(r|checkout|products|me\/purchases)(\/|$)/,
};

/**
 * Signs in as a person of the demo, with its test wallet.
 * @param path address of the page.
 * @returns the address at which to go on: the page itself, if the role has something to do there.
 */
export async function enterAs(
  queries: QueryClient,
  person: DemoPerson,
  path: string,
): Promise<string> {
  const named = demoWallet(demoWalletId(person.role));
  if (named === undefined) throw new Error('There is no demo on this chain.');
  // Money is missing only after much shopping: the role can be taken without it.
  await getTestMoney(person.address, true).catch(() => undefined);
  adoptSession(queries, await signInWith(named));
  return own[person.role].test(path) ? path : await firstPage(person.role);
}

async function firstPage(role: DemoRole): Promise<string> {
  if (role === 'merchant') return pathOf('console');
  if (role === 'partner') return pathOf('account');
  return await linkOfPartner().catch(() => pathOf('products'));
}

/** Address of a link of the demo's partner that sells now: there a buyer begins. */
async function linkOfPartner(): Promise<string> {
  const address = personOf('partner')?.address ?? '';
  const { data } = await api.campaigns.list({
    status: 'active',
    source: 'NATIVE_ONCHAIN',
    limit: 20,
  });
  const found = await Promise.all(
    data.items.map(({ campaignId }) => api.graph.search({ campaignId, q: address, limit: 1 })),
  );
  const [node] = found.flatMap(({ data: { items } }) => items);
  const code = node && encodeReferralCode(node.nodeId);
  return code === undefined ? pathOf('products') : pathOf('link', { code });
}
