import { type UseFormReturn, useFieldArray, useWatch } from 'react-hook-form';
import { Check } from '../../../components/check.tsx';
import { Explain } from '../../../components/explain.tsx';
import { Field } from '../../../components/field.tsx';
import { FieldGroup, FieldRow } from '../../../components/form.tsx';
import { SelectField } from '../../../components/select-field.tsx';
import { TextField } from '../../../components/text-field.tsx';
import { inputOf, optional } from '../../../form-issues.ts';
import { percent, type Unit } from '../../../format.ts';
import { durationUnits, readPercent, readPositive } from '../../../read-input.ts';
import { defaultWeights, type PolicyValues, readHold, weightsRest } from './policy-values.ts';

/** The form of a policy, with the times that only a scheduled version has. */
export interface PolicyForm extends PolicyValues {
  effectiveAt: string;
  expiry: string;
}

interface Props {
  readonly form: UseFormReturn<PolicyForm>;
  readonly token: Unit;
}

const levelNames = [
  ['1', '1: only the link that sells'],
  ['2', '2: and the link above it'],
  ['3', '3'],
  ['4', '4'],
  ['5', '5'],
] as const;

const shortPathNames = [
  ['RENORMALIZE_EXISTING', 'The levels that exist share all of it'],
  ['RETURN_UNUSED', 'It stays in the vault'],
] as const;

/** All fields of a reward policy. */
export function PolicyFields(props: Props) {
  return (
    <>
      <RewardFields {...props} />
      <LimitFields {...props} />
      <FieldGroup
        title="Terms for distributors"
        hint="They are hashed into the policy, so that they cannot be changed later."
      >
        <Field
          label="Regions"
          hint="Separated by commas: US, CA."
          {...inputOf(props.form, 'regions')}
        />
        <TextField
          label="Sharing rules"
          hint="One on each line, at most 32: Say that you are paid."
          {...inputOf(props.form, 'sharingRules')}
        />
      </FieldGroup>
      <p className="soft">
        Explained: <Explain term="policy" />, <Explain term="level" />, <Explain term="hold" />.
      </p>
    </>
  );
}

/** The reward of a sale, and its levels. */
function RewardFields({ form }: Props) {
  const { control } = form;
  const levels = useFieldArray({ control, name: 'weights' });
  const weights = useWatch({ control, name: 'weights' });
  const rest = weightsRest({ weights });
  return (
    <FieldGroup title="Reward">
      <FieldRow>
        <Field
          label="Reward of a sale, %"
          hint="Of what the buyer pays."
          inputMode="decimal"
          {...inputOf(form, 'rate', (text) => readPercent(text).issue)}
        />
        <SelectField
          id="levels"
          label="Rewarded levels"
          value={String(levels.fields.length)}
          onChange={({ target }) =>
            form.setValue('weights', defaultWeights(Number(target.value)), { shouldDirty: true })
          }
          options={levelNames}
        />
      </FieldRow>
      <FieldRow>
        {levels.fields.map(({ id }, i) => (
          <Field
            key={id}
            label={`Level ${i + 1}, % of the reward`}
            inputMode="decimal"
            {...inputOf(form, `weights.${i}.weight`, (text) =>
              weightIssue(text, i === 0 ? rest : 0n),
            )}
          />
        ))}
      </FieldRow>
      <p className={rest === 0n ? 'soft' : 'issue'} role="status">
        {restText(rest)}
      </p>
      {levels.fields.length > 1 && (
        <SelectField
          label="If fewer links are above the seller, the part of the missing levels"
          {...inputOf(form, 'shortPathMode')}
          options={shortPathNames}
        />
      )}
    </FieldGroup>
  );
}

/** The largest rewards, and how long they are held. */
function LimitFields({ form, token }: Props) {
  const unit = useWatch({ control: form.control, name: 'holdUnit' });
  const capCheck = optional((text) => readPositive(text, token.decimals));
  return (
    <FieldGroup title="Limits">
      <FieldRow>
        <Field
          label={`Largest reward of one sale, ${token.symbol}`}
          hint="Empty for no limit."
          inputMode="decimal"
          {...inputOf(form, 'perSaleCap', capCheck)}
        />
        <Field
          label={`Largest reward of the campaign, ${token.symbol}`}
          hint="Paid rewards count. Empty for no limit but the vault."
          inputMode="decimal"
          {...inputOf(form, 'campaignLiabilityCap', capCheck)}
        />
      </FieldRow>
      <FieldRow>
        <Field
          label="Hold"
          hint="From the sale until its rewards can be claimed; until then the buyer can be refunded."
          inputMode="numeric"
          {...inputOf(form, 'holdCount', (text) => readHold(text, unit).issue)}
        />
        <SelectField
          label="Unit of the hold"
          {...inputOf(form, 'holdUnit')}
          options={durationUnits.map(([size, name]) => [String(size), name] as const)}
        />
      </FieldRow>
      <Check
        label="Refuse sales to the owner of a link that they reward"
        hint="Otherwise a buyer can join first and take the reward of its own purchase. Another account of the same person is not recognized."
        {...form.register('excludesSelfReferral')}
      />
    </FieldGroup>
  );
}

/** Message about the part of the reward that no level gets, basis points; below 0 if they get too much. */
function restText(rest: bigint): string {
  if (rest === 0n) return 'The levels add up to 100 %.';
  return rest > 0n
    ? `${percent(rest)} of the reward is not given to a level yet.`
    : `The levels add up to ${percent(10_000n - rest)}: ${percent(-rest)} too much.`;
}

function weightIssue(text: string, rest: bigint): string | undefined {
  const { issue } = readPercent(text);
  return issue ?? (rest === 0n ? undefined : 'The levels must add up to 100 %.');
}
