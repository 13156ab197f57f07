import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { account } from '../support/history.ts';
import { ApiFixture } from './support/api-fixture.ts';
import { smallHistory } from './support/small-history.ts';

describe('names that look like those of others', () => {
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
  ])('are refused to a merchant: %s', async (_what, name, status) => {
    await expect(setup(name)).rejects.toMatchObject({ status });
  });

  it('are refused to a merchant that changes its name, of concurrent ones to all but one', async () => {
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

  it('do not keep anybody from a name in a script of their own', async () => {
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
