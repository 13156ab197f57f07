import { readLimit } from '../../../../attester-limits.ts';
import { Check } from '../../../../components/check.tsx';
import { Field } from '../../../../components/field.tsx';
import { FieldGroup, FieldRow } from '../../../../components/form.tsx';
import { SelectField } from '../../../../components/select-field.tsx';
import { TextField } from '../../../../components/text-field.tsx';
import { inputOf } from '../../../../form-issues.ts';
import { groupDigits, humanAmount } from '../../../../format.ts';
import {
  amountText,
  checkedValue,
  readCount,
  readList,
  readPositive,
  readTime,
  timeText,
} from '../../../../read-input.ts';
import { PolicyFields, type PolicyForm } from '../policy-fields.tsx';
import { policyField, policyTerms, policyValues, validTerms } from '../policy-values.ts';
import { Simulation } from '../simulation.tsx';
import { Templates } from '../templates.tsx';
import { type Campaign, type FieldsProps, operation } from './operation.ts';

type Address = `0x${string}`;

interface AttesterValues {
  account: string;
  allowed: string;
  /** Whole tokens; empty for no limit. */
  perOrder: string;
  daily: string;
  expiry: string;
}

const none = () => ({});
const isOver = ({ state }: Campaign) => state === 'ENDED';
const addressIssue = (text: string) =>
  /^0x[0-9a-fA-F]{40}$/.test(text.trim()) ? undefined : 'Enter 0x and 40 hex digits.';

/** Notice of a new policy version, seconds, with a minute to sign it. */
const NOTICE_SECONDS = 3_600 + 600;

/** Every operation on a campaign, in the order of its page. */
export const operations = [
  operation({
    id: 'finalize',
    group: 'state',
    title: 'Finalize due sales',
    text: 'Sales whose hold is over become final: their rewards and your proceeds can then be claimed. Leave the sales empty for the 100 that are due for longest.',
    defaults: () => ({ saleIds: '' }),
    Fields: ({ form }) => (
      <Field
        label="Only these sales"
        hint="Numbers separated by commas; sales under a dispute must be named."
        {...inputOf(form, 'saleIds')}
      />
    ),
    prepare: (api, { saleIds }, { campaignId }) => {
      const named = readList(saleIds);
      return api.operations.finalize({
        campaignId,
        ...(named.length === 0 ? {} : { saleIds: named }),
      });
    },
    fieldOf: () => 'saleIds',
  }),
  operation({
    id: 'pause',
    group: 'state',
    title: 'Pause',
    text: 'Stops sales and joining until you resume. Refunds, finalizing and claims go on.',
    fits: (campaign) => campaign.state !== 'PAUSED' && !isOver(campaign),
    defaults: none,
    prepare: (api, _values, { campaignId }) => api.operations.pause({ campaignId }),
  }),
  operation({
    id: 'resume',
    group: 'state',
    title: 'Resume',
    text: 'The campaign takes sales and distributors again.',
    fits: ({ state }) => state === 'PAUSED',
    defaults: none,
    prepare: (api, _values, { campaignId }) => api.operations.resume({ campaignId }),
  }),
  operation({
    id: 'end',
    group: 'state',
    title: 'End for good',
    text: 'No more sales and links, ever. Sales on hold can still be refunded, finalized and claimed, and you can withdraw what is not reserved. Your wallet confirms this with a signature first.',
    fits: (campaign) => !isOver(campaign),
    defaults: none,
    prepare: (api, _values, { campaignId }) => api.operations.end({ campaignId }),
  }),
  operation({
    id: 'fund',
    group: 'money',
    title: 'Deposit rewards',
    text: 'Adds to the vault that pays the rewards. You can withdraw what is left after the end of the campaign.',
    fits: (campaign) => !isOver(campaign),
    defaults: () => ({ amount: '' }),
    Fields: ({ form, campaign: { token } }) => (
      <Field
        label={`Amount, ${token.symbol}`}
        inputMode="decimal"
        {...inputOf(form, 'amount', (text) => readPositive(text, token.decimals).issue)}
      />
    ),
    prepare: (api, { amount }, { campaignId, token }) =>
      api.operations.fund({
        campaignId,
        amount: checkedValue(readPositive(amount, token.decimals)).toString(),
      }),
  }),
  operation({
    id: 'raiseCapacity',
    group: 'money',
    title: 'Raise the capacity',
    text: 'Allows more links and more sales. A capacity can never be lowered.',
    fits: (campaign) => !isOver(campaign),
    defaults: ({ capacity }) => ({ nodes: `${capacity.nodes}`, sales: `${capacity.sales}` }),
    Fields: ({ form, campaign: { capacity } }) => (
      <FieldRow>
        <Field
          label="Links in total"
          hint={`Now ${groupDigits(`${capacity.nodes}`)}.`}
          inputMode="numeric"
          {...inputOf(form, 'nodes', (text) => readCount(text).issue)}
        />
        <Field
          label="Sales in total"
          hint={`Now ${groupDigits(`${capacity.sales}`)}.`}
          inputMode="numeric"
          {...inputOf(form, 'sales', (text) => readCount(text).issue)}
        />
      </FieldRow>
    ),
    prepare: (api, { nodes, sales }, { campaignId }) =>
      api.operations.raiseCapacity({
        campaignId,
        nodes: checkedValue(readCount(nodes)),
        sales: checkedValue(readCount(sales)),
      }),
  }),
  operation<PolicyForm>({
    id: 'schedulePolicy',
    group: 'terms',
    title: 'Schedule a policy',
    text: 'A new version of the reward policy, for sales from its time on; at least an hour ahead. Sales that were recorded before keep their rewards.',
    fits: (campaign) => !isOver(campaign),
    defaults: ({ policy, token, endsAt }) => ({
      ...policyValues(policy, token.decimals),
      effectiveAt: timeText(new Date(Date.now() + NOTICE_SECONDS * 1_000).toISOString()),
      expiry: timeText(endsAt),
    }),
    Fields: PolicyOperationFields,
    prepare: (api, values, { campaignId, token }) =>
      api.operations.schedulePolicy({
        campaignId,
        policy: {
          ...policyTerms(values, token.decimals),
          expiry: checkedValue(readTime(values.expiry)),
        },
        effectiveAt: checkedValue(readTime(values.effectiveAt)),
      }),
    fieldOf: policyField,
  }),
  operation({
    id: 'priceVariant',
    group: 'terms',
    title: 'Change a price',
    text: 'The new price is in effect with its block. A buyer never pays more than the price that was shown.',
    fits: (campaign) => !isOver(campaign),
    defaults: ({ price, token }) => ({ variantId: '', price: amountText(price, token.decimals) }),
    Fields: ({ form, campaign: { token, product, price } }) => (
      <FieldRow>
        <SelectField label="Price of" {...inputOf(form, 'variantId')}>
          <option value="">
            The product, now {humanAmount(price, token.decimals)} {token.symbol}
          </option>
          {product.variants.map(({ id, name, priceBaseUnits }) => (
            <option key={id} value={id}>
              {name}, described at {humanAmount(priceBaseUnits, token.decimals)} {token.symbol}
            </option>
          ))}
        </SelectField>
        <Field
          label={`New price, ${token.symbol}`}
          inputMode="decimal"
          {...inputOf(form, 'price', (text) => readPositive(text, token.decimals).issue)}
        />
      </FieldRow>
    ),
    prepare: (api, { variantId, price }, { campaignId, token }) =>
      api.operations.priceVariant({
        campaignId,
        ...(variantId === '' ? {} : { variantId }),
        price: checkedValue(readPositive(price, token.decimals)).toString(),
      }),
  }),
  operation({
    id: 'allowDistributors',
    group: 'access',
    title: 'Change the allow-list',
    text: 'Accounts that may join a campaign by invitation. Each account is a transaction of its own. Links that exist stay.',
    fits: ({ inviteOnly }) => inviteOnly,
    defaults: () => ({ accounts: '', allowed: 'true' }),
    Fields: ({ form }) => (
      <>
        <TextField
          label="Accounts"
          hint="1 to 20 addresses, one on each line."
          {...inputOf(form, 'accounts', accountsIssue)}
        />
        <AllowedChoice allow="They may join" forbid="They may no longer join" form={form} />
      </>
    ),
    prepare: (api, { accounts, allowed }, { campaignId }) =>
      api.operations.allowDistributors({
        campaignId,
        accounts: readList(accounts) as Address[],
        allowed: allowed === 'true',
      }),
    fieldOf: (path) => path.replace(/^accounts\..*/, 'accounts'),
  }),
  operation<AttesterValues>({
    id: 'allowAttester',
    group: 'access',
    title: 'Change an attester',
    text: 'An attester signs for sales that were paid elsewhere, within your limits: a stolen key can do no more. Sales that it signed stay.',
    fits: ({ trustMode }) => trustMode === 'THIRD_PARTY_VERIFIED',
    defaults: ({ endsAt }) => ({
      account: '',
      allowed: 'true',
      ...{ perOrder: '', daily: '', expiry: timeText(endsAt) },
    }),
    Fields: AttesterFields,
    prepare: (api, { account, allowed, ...limits }, { campaignId, token: { decimals } }) => {
      const attester = { campaignId, account: account.trim() as Address };
      if (allowed !== 'true') return api.operations.allowAttester({ ...attester, allowed: false });
      return api.operations.allowAttester({
        ...attester,
        allowed: true,
        perOrder: checkedValue(readLimit(limits.perOrder, decimals)).toString(),
        daily: checkedValue(readLimit(limits.daily, decimals)).toString(),
        expiry: checkedValue(readTime(limits.expiry)),
      });
    },
  }),
] as const;

function accountsIssue(text: string): string | undefined {
  const accounts = readList(text);
  if (accounts.length === 0) return 'Enter an address.';
  if (accounts.length > 20) return 'At most 20 accounts.';
  const wrong = accounts.find((one) => addressIssue(one) !== undefined);
  return wrong === undefined ? undefined : `This is no address: ${wrong}`;
}

interface AllowedChoiceProps {
  readonly allow: string;
  readonly forbid: string;
  readonly form: { readonly register: (name: 'allowed') => object };
}

function AllowedChoice({ allow, forbid, form }: AllowedChoiceProps) {
  return (
    <div>
      <Check radio label={allow} value="true" {...form.register('allowed')} />
      <Check radio label={forbid} value="false" {...form.register('allowed')} />
    </div>
  );
}

function AttesterFields({ form, campaign: { token } }: FieldsProps<AttesterValues>) {
  const limit = (text: string) => readLimit(text, token.decimals).issue;
  return (
    <>
      <Field label="Account" {...inputOf(form, 'account', addressIssue)} />
      <AllowedChoice allow="It may attest sales" forbid="It may no longer do so" form={form} />
      {form.watch('allowed') === 'true' && (
        <FieldGroup title="Limits" hint="They replace those that it has.">
          <FieldRow>
            <Field
              label={`Largest sale, ${token.symbol}`}
              hint="Empty for no limit."
              inputMode="decimal"
              {...inputOf(form, 'perOrder', limit)}
            />
            <Field
              label={`Most in a day, ${token.symbol}`}
              hint="All its sales from midnight to midnight UTC; those of today count. Empty for no limit."
              inputMode="decimal"
              {...inputOf(form, 'daily', limit)}
            />
            <Field
              label="Until"
              hint="In your time zone."
              type="datetime-local"
              {...inputOf(form, 'expiry', (text) => readTime(text).issue)}
            />
          </FieldRow>
        </FieldGroup>
      )}
    </>
  );
}

function PolicyOperationFields({ form, campaign }: FieldsProps<PolicyForm>) {
  const { token, price, rewardLedger } = campaign;
  const { available, pendingReserved, vestedUnclaimed, rewardsClaimed } = rewardLedger;
  const liability = BigInt(pendingReserved) + BigInt(vestedUnclaimed) + BigInt(rewardsClaimed);
  return (
    <>
      <FieldGroup title="Times" hint="In your time zone.">
        <FieldRow>
          <Field
            label="In effect from"
            type="datetime-local"
            {...inputOf(form, 'effectiveAt', (text) => readTime(text).issue)}
          />
          <Field
            label="Expires"
            hint="No sale at or after it."
            type="datetime-local"
            {...inputOf(form, 'expiry', (text) => readTime(text).issue)}
          />
        </FieldRow>
      </FieldGroup>
      <Templates form={form} token={token} />
      <PolicyFields form={form} token={token} />
      <Simulation
        terms={validTerms(form.watch(), token.decimals)}
        price={BigInt(price)}
        token={token}
        liability={liability}
        available={BigInt(available)}
      />
    </>
  );
}
