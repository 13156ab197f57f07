import { type DemoMoney, demoPaths } from '../../../engine/contract/demo.ts';

/**
 * Lets the service send test money to an account of the local chain.
 * @param onlyIfPoor true if an account that can pay for a few things needs no more.
 * @returns what was sent; `null` if the account is not poor.
 * @throws {Error} with the service's sentence if it refuses.
 */
export async function getTestMoney(address: string, onlyIfPoor = false): Promise<DemoMoney | null> {
  const response = await fetch(demoPaths.faucet, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ address, ...(onlyIfPoor && { onlyIfPoor }) }),
  });
  const { data, error } = (await response.json()) as {
    readonly data?: DemoMoney | null;
    readonly error?: { readonly message: string };
  };
  if (data === undefined) throw new Error(error?.message ?? 'The service sent no test money.');
  return data;
}
