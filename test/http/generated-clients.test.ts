import { execFile, spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import openapiTS, { astToString } from 'openapi-typescript';
import { InputData, JSONSchemaInput, quicktype } from 'quicktype-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { projectRoot } from '../../engine/cli/stack/processes.ts';
import { type ApiServer, serveApi } from '../../engine/http/serve.ts';
import { ApiFixture } from './support/api-fixture.ts';
import { smallHistory } from './support/small-history.ts';

const run = promisify(execFile);

const PROGRAM = `
import createClient from 'openapi-fetch';
import type { components, paths } from './schema.js';

const client = createClient<paths>({ baseUrl: process.argv[2] ?? '' });
const list = await client.GET('/v1/campaigns', { params: { query: { limit: 1 } } });
const campaign: components['schemas']['CampaignSummary'] | undefined = list.data?.data.items[0];
const path = { chainId: 31337, saleId: '1' };
const receipt = await client.GET('/v1/receipts/{chainId}/{saleId}', { params: { path } });
const absent = { path: { campaignId: '999' } };
const missing = await client.GET('/v1/campaigns/{campaignId}', { params: absent });
const code: components['schemas']['ErrorCode'] | undefined = missing.error?.error.code;
// @ts-expect-error a campaign has no such field
void campaign?.flavour;
// @ts-expect-error there is no such sort
void client.GET('/v1/campaigns', { params: { query: { sort: 'flavour' } } });
console.log(
  JSON.stringify({
    campaignId: campaign?.campaignId,
    saleId: receipt.data?.data.saleId,
    status: missing.response.status,
    code,
  }),
);
`;

const PYTHON = `
import json, sys, urllib.error, urllib.request
from models import campaigns_list_response_from_dict, error_body_from_dict, receipts_get_response_from_dict

def get(path):
    try:
        return json.load(urllib.request.urlopen(sys.argv[1] + path))
    except urllib.error.HTTPError as failed:
        return json.load(failed)

campaign = campaigns_list_response_from_dict(get('/v1/campaigns?limit=1')).data.items[0]
receipt = receipts_get_response_from_dict(get('/v1/receipts/31337/1')).data
missing = error_body_from_dict(get('/v1/campaigns/999')).error
print(json.dumps({'campaignId': campaign.campaign_id, 'saleId': receipt.sale_id, 'code': missing.code.value}))
`;

const hasPython = spawnSync('python3', ['--version']).status === 0;

describe('clients that are generated from the OpenAPI document', () => {
  let fixture: ApiFixture;
  let server: ApiServer;
  let folder: string;
  let document: string;

  beforeAll(async () => {
    fixture = await ApiFixture.open();
    await fixture.settle(smallHistory().history.facts);
    server = await serveApi({ ...fixture.deps, port: 0, host: '127.0.0.1' });
    document = await (await fetch(`${server.url}/openapi.json`)).text();
    // Within the project, where its packages are found.
    await mkdir(join(projectRoot, '.tributary'), { recursive: true });
    folder = await mkdtemp(join(projectRoot, '.tributary', 'client-'));
  });
  afterAll(async () => {
    await server?.stop();
    await fixture?.close();
    if (folder) await rm(folder, { recursive: true, force: true });
  });

  it('compile and run in TypeScript (openapi-typescript, openapi-fetch)', async () => {
    const schema = astToString(await openapiTS(document));
    await writeFile(join(folder, 'schema.d.ts'), schema);
    await writeFile(join(folder, 'program.mts'), PROGRAM);
    const options = ['--strict', '--skipLibCheck', '--target', 'es2022', '--types', 'node'];
    const compiler = join(projectRoot, 'node_modules/typescript/bin/tsc');
    const modules = ['--module', 'nodenext'];
    const args = [
      compiler,
      ...options,
      ...modules,
      '--outDir',
      folder,
      join(folder, 'program.mts'),
    ];
    const { stdout: errors } = await run(process.execPath, args, { cwd: folder }).catch(
      (failed: { stdout: string }) => failed,
    );
    expect(errors).toBe('');
    const { stdout } = await run(process.execPath, [join(folder, 'program.mjs'), server.url]);
    const answered = JSON.parse(stdout);
    expect(answered).toMatchObject({ saleId: '1', status: 404, code: 'NOT_FOUND' });
    expect(answered.campaignId).toMatch(/^[0-9]+$/);
  });

  it.skipIf(!hasPython)('parse answers in Python (quicktype)', async () => {
    // Times stay texts: the generated parser of times needs a package that Python does not bring.
    const plain = document.replaceAll('"format":"date-time",', '');
    const input = new JSONSchemaInput(undefined);
    for (const name of ['CampaignsListResponse', 'ReceiptsGetResponse', 'ErrorBody']) {
      await input.addSource({ name, uris: [`#/components/schemas/${name}`], schema: plain });
    }
    const inputData = new InputData();
    inputData.addInput(input);
    const { lines } = await quicktype({
      inputData,
      lang: 'python',
      rendererOptions: { 'python-version': '3.7' },
    });
    await writeFile(join(folder, 'models.py'), lines.join('\n'));
    await writeFile(join(folder, 'program.py'), PYTHON);
    expect(await readFile(join(folder, 'models.py'), 'utf8')).toMatch(/^class \w*Token\w*:/m);
    const { stdout } = await run('python3', [join(folder, 'program.py'), server.url]);
    expect(JSON.parse(stdout)).toMatchObject({ saleId: '1', code: 'NOT_FOUND' });
  });
});
