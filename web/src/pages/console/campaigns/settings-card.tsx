import { useQueryClient } from '@tanstack/react-query';
import { useForm } from 'react-hook-form';
import type { Client } from '../../../../../engine/client/index.ts';
import { type DataOf, type RequestOptions, useRead } from '../../../api.ts';
import { Answered } from '../../../components/answered.tsx';
import { Card } from '../../../components/card.tsx';
import { Check } from '../../../components/check.tsx';
import { Field } from '../../../components/field.tsx';
import { Form } from '../../../components/form.tsx';
import { TextField } from '../../../components/text-field.tsx';
import { inputOf } from '../../../form-issues.ts';
import { useStatus } from '../../../status.ts';
import { useActing, useMay } from '../acting.tsx';

type Settings = DataOf<Client['campaigns']['updateSettings']>;

/** Settings that this service stores for a campaign; none of them is on the chain. */
export function SettingsCard({ campaignId }: { readonly campaignId: string }) {
  const { api, key } = useActing();
  const query = useRead([...key, 'campaigns.mine', 'settings', campaignId], (options) =>
    findSettings(api, campaignId, options),
  );
  return (
    <Card title="Settings">
      <Answered query={query} what="The settings">
        {({ data }) => <SettingsForm settings={data} />}
      </Answered>
    </Card>
  );
}

function SettingsForm({ settings }: { readonly settings: Settings }) {
  const { api, key } = useActing();
  const queries = useQueryClient();
  const { campaignId, name, note, listed, oneSignature } = settings;
  const defaultValues = { name: name ?? '', note: note ?? '', listed, oneSignature };
  const form = useForm({ defaultValues });
  async function save(values: typeof defaultValues) {
    await api.campaigns.updateSettings({
      campaignId,
      name: values.name || null,
      note: values.note || null,
      listed: values.listed,
      oneSignature: values.oneSignature,
    });
    await queries.invalidateQueries({ queryKey: [...key, 'campaigns.mine'] });
  }
  return (
    <Form form={form} onSubmit={save} name="Save" saved="Saved." disabled={!useMay('admin')}>
      <Field
        label="Name"
        hint="Only your team sees it."
        maxLength={100}
        {...inputOf(form, 'name')}
      />
      <TextField
        label="Note"
        hint="Only your team sees it."
        maxLength={2_000}
        {...inputOf(form, 'note')}
      />
      <Check
        label="Show it in the lists of this service"
        hint="Its page and its sales are there in any case."
        {...form.register('listed')}
      />
      <Check
        label="Let buyers pay with one signature; the service's relayer pays the gas"
        hint={<OneSignatureHint />}
        {...form.register('oneSignature')}
      />
    </Form>
  );
}

/** Costs of the switch and who pays them, or that it has no effect here. */
function OneSignatureHint() {
  const hasRelayer = useStatus().data?.data.relayer;
  return (
    <>
      {hasRelayer === false && 'This service runs no relayer now, so this has no effect yet. '}
      Each sale costs the relayer the gas of one transaction, and you nothing. The operator of this
      service pays for it, up to your budget for the day. Beyond it, and with a token that takes no
      signatures, buyers pay by transactions of their own.
    </>
  );
}

/** Settings of a campaign of the merchant. The API lists them, and has no method for one campaign’s. */
async function findSettings(api: Client, campaignId: string, options: RequestOptions) {
  let cursor: string | undefined;
  for (;;) {
    const page = {
      ...(cursor === undefined ? {} : { cursor }),
      kind: 'campaign',
      limit: 100,
    } as const;
    const { data, meta } = await api.campaigns.mine(page, options);
    const found = data.items.find(({ settings }) => settings?.campaignId === campaignId);
    if (found?.settings) return { data: found.settings, meta };
    if (data.nextCursor === null) throw new Error('This is no campaign of yours.');
    cursor = data.nextCursor;
  }
}
