import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { account } from '../support/history.ts';
import { ApiFixture } from './support/api-fixture.ts';
import { smallHistory } from './support/small-history.ts';

describe('the API', () => {
  let fixture: ApiFixture;
  let accounts = 8_000;

  beforeAll(async () => {
    fixture = await ApiFixture.open();
    await fixture.settle(smallHistory().history.facts);
    await setup('Harbor Roasters');
    await setup('Оса');
  });
  afterAll(() => fixture.close());

  async function setup(name: string) {
    accounts += 1;
    const client = await fixture.clientAs(account(accounts));
    return await client.merchants.setup({ slug: `look-${accounts}`, name });
  }

  it.each([
    ['a Cyrillic letter in a Latin word', 'Hаrbor Roasters', 400],
    ['the digit 0', 'Harb0r Roasters', 409],
    ['other case, spaces and hyphens', 'HARBOR-ROASTERS', 409],
    ['rn for m, and a Latin word for a Cyrillic one', 'Oca', 409],
    ['a name that looks like the service', 'Тributary', 400],
  ])('refuses a merchant a name with %s', async (_what, name, status) => {
    await expect(setup(name)).rejects.toMatchObject({ status });
  });

  it('refuses names that look alike to all but one, also concurrently and when a name is changed', async () => {
    const tries = await Promise.allSettled(['Modern Cup', 'Modem Cup', 'Mod ern Cup'].map(setup));
    expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const { data } = await setup('Another Shop');
    expect(data.name).toBe('Another Shop');
    const { merchants } = await fixture.clientAs(account(accounts));
    await expect(merchants.update({ name: 'H4rbor' })).resolves.toBeDefined();
    await expect(merchants.update({ name: 'Harbor  R0asters' })).rejects.toMatchObject({
      status: 409,
    });
  });

  it('accepts a name in a script of its own', async () => {
    for (const name of [
      'Кофейня',
      '東京コーヒー',
      'قهوة',
      'Καφές',
      '서울 Coffee',
      'Café Ångström',
    ]) {
      await expect(setup(name)).resolves.toMatchObject({ data: { name } });
    }
  });
});
