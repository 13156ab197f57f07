import { describe, expect, it } from 'vitest';
import { readHeads, setIndexerSchema, writeHeads } from '../../engine/db/heads.ts';
import { useDatabase } from '../support/own-database.ts';

/** Statements of release 0.1, whose processes run on during an upgrade. */
describe('the names that tables had in the release before', () => {
  const database = useDatabase();

  it('record what was published of a campaign', async () => {
    const { pool } = database;
    const publish = (seq: number) => pool`
      with known as (
        insert into ledger.told (campaign_id, seq) select 7, ${seq}::bigint
        on conflict (campaign_id) do update set seq = excluded.seq
      )
      select 1`;
    await publish(3);
    await publish(5);
    expect(await pool`select * from ledger.published_seq`).toEqual([
      { campaign_id: '7', seq: '5' },
    ]);
    expect(await pool`select seq from ledger.told where campaign_id = 7`).toEqual([{ seq: '5' }]);
  });

  it('record and delete campaigns to compare again', async () => {
    const { pool } = database;
    await pool`
      insert into ledger.taken_back (campaign_id, after_seq)
      select campaign_id, after_seq from unnest(${['7', '8']}::bigint[], ${['1', '2']}::bigint[])
        as taken (campaign_id, after_seq)`;
    const [newest] = await pool`
      select max(id) as id, min(after_seq) as after_seq from ledger.stale_publication`;
    expect(newest).toEqual({ id: '2', after_seq: '1' });
    await pool`
      with done as (delete from ledger.taken_back where exists (select 1)) select 1`;
    expect(await pool`select 1 from ledger.stale_publication`).toHaveLength(0);
  });

  it('record errors of the feeder, and when each began', async () => {
    const { pool } = database;
    const write = (block: number) => pool`
      with newest as (select 'rpc' as name, ${block}::bigint as block_number, 'no answer' as message),
      gone as (delete from ledger.trouble where name not in (select name from newest))
      insert into ledger.trouble (name, block_number, message, since)
      select name, block_number, message, clock_timestamp() from newest
      on conflict (name) do update set block_number = excluded.block_number,
        message = excluded.message,
        since = case
          when ledger.trouble.block_number is distinct from excluded.block_number
          then excluded.since else ledger.trouble.since
        end`;
    await pool`insert into ledger.trouble (name, message) values ('mismatch', 'gone')`;
    await write(1);
    const read = () => pool`select * from ledger.feeder_error`;
    const first = await read();
    expect(first).toMatchObject([{ name: 'rpc', block_number: '1', message: 'no answer' }]);
    await write(1);
    expect(await read()).toEqual(first);
    await write(2);
    const [second] = await read();
    expect(second?.since).not.toEqual(first[0]?.since);
  });

  it('read and write the time of a change', async () => {
    const { pool } = database;
    await pool`
      insert into ledger.change (sequence, campaign_id, kind, from_seq, to_seq)
      values (1, 7, 'settled', 1, 1)`;
    const [change] = await pool`
      select told_at = published_at as is_same, told_at > now() - interval '1 minute' as is_new
      from ledger.change`;
    expect(change).toEqual({ is_same: true, is_new: true });
  });

  it('notice the tick of a worker of the other release that came in between', async () => {
    const { pool } = database;
    await setIndexerSchema(pool, 'indexer_test');
    const settled = { number: 1, hash: `0x${'1'.repeat(64)}`, timestamp: 1 } as const;
    const write01 = (looks: string) => pool`
      update ledger.head set indexed_number = 1, looks = looks + 1, updated_at = now()
      where looks = ${looks} returning looks`;
    const heads = await readHeads(pool);
    if (heads === undefined) throw new Error('there are no heads');
    const next = { ...heads, settled };
    // The tick of 0.1 comes first, then that of this release.
    expect(await write01('0')).toHaveLength(1);
    expect(await writeHeads(pool, next, heads.writes)).toBe(false);
    const known = await readHeads(pool);
    expect(await writeHeads(pool, next, known?.writes)).toBe(true);
    expect(await write01('1')).toHaveLength(0);
    expect(await write01('2')).toHaveLength(1);
  });
});
