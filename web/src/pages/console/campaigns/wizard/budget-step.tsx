import { useForm } from 'react-hook-form';
import { Check } from '../../../../components/check.tsx';
import { Field } from '../../../../components/field.tsx';
import { FieldGroup, FieldRow, Form } from '../../../../components/form.tsx';
import { inputOf } from '../../../../form-issues.ts';
import {
  amountText,
  checkedValue,
  readAmount,
  readCount,
  readTime,
  timeText,
} from '../../../../read-input.ts';
import { policyValues, validTerms } from '../policy-values.ts';
import { BudgetLine } from '../simulation.tsx';
import type { StepProps } from './draft.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** The deposit, the capacity, the dates, and who may join. */
export function BudgetStep({ draft: { draft }, product, onSave }: StepProps) {
  const decimals = product?.token?.decimals ?? 0;
  const symbol = product?.token?.symbol ?? '';
  const minute = Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS;
  const day = (days: number) => new Date(minute + days * DAY_MS).toISOString();
  const form = useForm({
    defaultValues: {
      funding: draft.funding === undefined ? '' : amountText(draft.funding, decimals),
      saleCapacity: String(draft.saleCapacity ?? 10_000),
      nodeCapacity: String(draft.nodeCapacity ?? 1_000),
      nodesPerAccount: String(draft.nodesPerAccount ?? 25),
      startsAt: timeText(draft.startsAt ?? day(0)),
      endsAt: timeText(draft.endsAt ?? day(90)),
      inviteOnly: draft.inviteOnly ?? false,
    },
  });
  const count = (text: string) => readCount(text).issue;
  const time = (text: string) => readTime(text).issue;
  const terms = validTerms(policyValues(draft.policy ?? {}, decimals), decimals);
  return (
    <Form
      form={form}
      name="Continue"
      fieldOf={(path) => (path === 'policy.expiry' ? 'endsAt' : path)}
      onSubmit={(values) => {
        const endsAt = checkedValue(readTime(values.endsAt));
        return onSave({
          funding: checkedValue(readAmount(values.funding, decimals)).toString(),
          saleCapacity: checkedValue(readCount(values.saleCapacity)),
          nodeCapacity: checkedValue(readCount(values.nodeCapacity)),
          nodesPerAccount: checkedValue(readCount(values.nodesPerAccount)),
          startsAt: checkedValue(readTime(values.startsAt)),
          endsAt,
          inviteOnly: values.inviteOnly,
          ...(draft.policy === undefined ? {} : { policy: { ...draft.policy, expiry: endsAt } }),
        });
      }}
    >
      <FieldGroup title="Budget">
        <Field
          label={`Rewards to deposit, ${symbol}`}
          hint="It goes into the vault that pays the rewards. You can add to it later, and withdraw what is left after the end."
          inputMode="decimal"
          {...inputOf(form, 'funding', (text) => readAmount(text, decimals).issue)}
        />
        <BudgetLine
          terms={terms}
          price={draft.price === undefined ? undefined : BigInt(draft.price)}
          funding={readAmount(form.watch('funding'), decimals).value}
        />
      </FieldGroup>
      <FieldGroup title="Capacity" hint="It can be raised later, and never lowered.">
        <FieldRow>
          <Field label="Sales" inputMode="numeric" {...inputOf(form, 'saleCapacity', count)} />
          <Field label="Links" inputMode="numeric" {...inputOf(form, 'nodeCapacity', count)} />
          <Field
            label="Links of one account"
            inputMode="numeric"
            {...inputOf(form, 'nodesPerAccount', count)}
          />
        </FieldRow>
      </FieldGroup>
      <FieldGroup title="Dates" hint="In your time zone.">
        <FieldRow>
          <Field
            label="First sale from"
            type="datetime-local"
            {...inputOf(form, 'startsAt', time)}
          />
          <Field
            label="No sale from"
            hint="The policy expires with the campaign."
            type="datetime-local"
            {...inputOf(form, 'endsAt', time)}
          />
        </FieldRow>
      </FieldGroup>
      <Check
        label="Only accounts on the allow-list may join"
        hint="Otherwise everybody can get a link."
        {...form.register('inviteOnly')}
      />
    </Form>
  );
}
