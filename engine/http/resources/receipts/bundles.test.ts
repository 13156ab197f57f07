import { describe, expect, it } from 'vitest';
import type { Bundle } from '../../../verify/bundle/index.ts';
import type { AppDeps, BundleMaker } from '../../deps.ts';
import { sharedBundle } from './bundles.ts';

let deployments = 0;

/** Dependencies of a deployment of its own, whose maker is given. */
function depsWith(make: BundleMaker['make']): AppDeps {
  deployments += 1;
  const deployment = { genesisHash: `0x${deployments}`, contractAddress: '0xc0' };
  return { deployment, bundles: { make } } as unknown as AppDeps;
}

const bundleOf = (saleId: string) => ({ saleId }) as Bundle;
const requestOf = (saleId: string) => ({ contractAddress: '0xc0', saleId }) as const;

describe('sharedBundle', () => {
  it('makes the bundle of a receipt once, for requests at the same time and later ones', async () => {
    let count = 0;
    const deps = depsWith(async ({ saleId }) => {
      count += 1;
      return bundleOf(saleId);
    });
    const ask = () => sharedBundle(deps, { sale: 1n, state: 'pending' }, requestOf('1'));
    const [first, ...others] = await Promise.all(Array.from({ length: 32 }, ask));
    for (const other of [...others, await ask()]) expect(other).toBe(first);
    expect(count).toBe(1);
    await sharedBundle(deps, { sale: 1n, state: 'finalized' }, requestOf('1'));
    expect(count).toBe(2);
  });

  it('shares none between deployments', async () => {
    const [one, other] = ['1', '2'].map((saleId) => depsWith(async () => bundleOf(saleId)));
    const ask = (deps: AppDeps | undefined) =>
      sharedBundle(deps as AppDeps, { sale: 1n }, requestOf('1'));
    expect([await ask(one), await ask(other)]).toEqual([bundleOf('1'), bundleOf('2')]);
  });

  it('tries again after a failure, and makes four at a time', async () => {
    let count = 0;
    const deps = depsWith(async ({ saleId }) => {
      count += 1;
      if (count === 1) throw new Error('away');
      await new Promise((resolve) => setTimeout(resolve, 50));
      return bundleOf(saleId);
    });
    const ask = (saleId: string) => sharedBundle(deps, { saleId }, requestOf(saleId));
    await expect(ask('0')).rejects.toThrow('away');
    const asked = await Promise.allSettled(['0', '1', '2', '3', '4'].map(ask));
    expect(asked.map(({ status }) => status)).toEqual([
      ...Array.from({ length: 4 }, () => 'fulfilled'),
      'rejected',
    ]);
    expect(await ask('4')).toEqual(bundleOf('4'));
  });
});
