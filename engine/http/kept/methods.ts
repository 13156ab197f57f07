import type { CallableName } from '../../contract/types.ts';
import type { Caller } from '../auth/guard.ts';
import type { AppDeps } from '../deps.ts';

/**
 * Methods whose answers are given again: what many ask alike, or one page asks for again and again, and
 * takes more than a look-up. Points of a ledger of millions are left out, for hardly anybody asks for
 * the same one twice, and so is whatever asks the chain or the clock.
 */
const names: readonly CallableName[] = [
  'analytics.campaign',
  'analytics.merchant',
  'campaigns.activity',
  'campaigns.distributors',
  'campaigns.get',
  'campaigns.list',
  'campaigns.mine',
  'campaigns.policy',
  'campaigns.stats',
  'distributors.get',
  'distributors.list',
  'earnings.byCampaign',
  'earnings.summary',
  'graph.forCampaign',
  'merchants.get',
  'merchants.offers',
  'merchants.record',
  'partners.list',
  'receipts.forCampaign',
  'receipts.recent',
];

const kept: ReadonlySet<string> = new Set(names);

/** Whether answers of a method of the registry are given again. */
export function isKept(name: string): boolean {
  return kept.has(name);
}

/** What an answer that is given again may hang on, beside its input and the database. */
const steadyDeps: ReadonlySet<string> = new Set<keyof AppDeps>([
  'pool',
  'deployment',
  'logger',
  'operators',
  'publicUrl',
  'keys',
]);

/** The dependencies for making an answer that is kept: those that change by themselves are out of reach. */
export function steadyDepsOf(deps: AppDeps): AppDeps {
  return guarded(deps, steadyDeps);
}

/** The caller as an answer that is kept may know it: who it is, and not where from. */
export function steadyCallerOf(caller: Caller): Caller {
  const { session } = caller;
  const known = session && guarded(session, new Set(['address']));
  return guarded({ ...caller, session: known }, new Set(['session']));
}

/** @throws Error from whoever reads another property: of the programmer, at the first request. */
function guarded<T extends object>(of: T, properties: ReadonlySet<string>): T {
  return new Proxy(of, {
    get(target, name) {
      if (typeof name === 'symbol' || properties.has(name)) return Reflect.get(target, name);
      throw new Error(`an answer that is kept must not hang on «${name}»`);
    },
  });
}
