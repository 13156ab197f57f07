/** The ceiling of point reads: Hono, and one look-up by primary key. Started by a bench. */
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { openPool } from '../../engine/db/connection.ts';

const { DATABASE_URL = '', PORT = '' } = process.env;

/** As many connections as the API has for such requests. */
const sql = openPool(DATABASE_URL, { max: 5 });
const app = new Hono();
app.get('/health', (c) => c.text('ok'));
app.get('/sale/:campaignId/:saleId', async (c) => {
  const { campaignId, saleId } = c.req.param();
  const [row] = await sql`
    select * from ledger.sale where campaign_id = ${campaignId} and sale_id = ${saleId}`;
  return row === undefined ? c.notFound() : c.json(row);
});
const server = serve({ fetch: app.fetch, port: Number(PORT), hostname: '127.0.0.1' });
process.once('SIGTERM', () => {
  server.close();
  void sql.end({ timeout: 1 }).then(() => process.exit(0));
});
