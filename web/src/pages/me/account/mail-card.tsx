import { useQueryClient } from '@tanstack/react-query';
import { useForm } from 'react-hook-form';
import { type MailKind, mailKinds } from '../../../../../engine/core/notification.ts';
import { MINE } from '../../../account/session.ts';
import { api, type DataOf, useApi } from '../../../api.ts';
import { Answered } from '../../../components/answered.tsx';
import { Badge } from '../../../components/badge.tsx';
import { Card } from '../../../components/card.tsx';
import { Check } from '../../../components/check.tsx';
import { Field } from '../../../components/field.tsx';
import { FieldGroup, Form } from '../../../components/form.tsx';
import { useEnabled } from '../../../enabled.ts';
import { inputOf } from '../../../form-issues.ts';

type Preferences = DataOf<typeof api.notifications.preferences>;

const KEY = [MINE, 'notifications.preferences'];

const names: Readonly<Record<MailKind, string>> = {
  rewards_claimable: 'Rewards became claimable',
  rewards_refunded: 'Rewards were released by a refund',
  rewards_reversed: 'Rewards were reversed',
  policy_scheduled: 'A campaign of mine gets a new policy',
  campaign_paused: 'A campaign of mine was paused',
  campaign_resumed: 'A campaign of mine was resumed',
  campaign_ended: 'A campaign of mine was ended',
  invitation_received: 'I was invited to a campaign',
  invitation_answered: 'An invitation that I sent was answered',
  refund_requested: 'A buyer asked for a refund',
  refund_answered: 'My request for a refund was answered',
  refund_paid: 'My refund was paid',
  report_ready: 'A report is ready',
};

const states = {
  unconfirmed: ['not confirmed: open the link in the mail that we sent', 'warn'],
  confirmed: ['confirmed', 'good'],
  undeliverable: ['undeliverable: enter it again, or another one', 'bad'],
} as const;

/** Notifications by e-mail; nothing if the service sends none. */
export function MailCard() {
  const enabled = useEnabled('notifications.preferences');
  return enabled ? <Enabled /> : null;
}

function Enabled() {
  const query = useApi(KEY, api.notifications.preferences, {});
  return (
    <Card title="Notifications by e-mail">
      <Answered query={query} what="Your preferences">
        {({ data }) => <PreferencesForm preferences={data} />}
      </Answered>
    </Card>
  );
}

function PreferencesForm({ preferences }: { readonly preferences: Preferences }) {
  const { email, status, kinds } = preferences;
  const queries = useQueryClient();
  const values = { email: email ?? '', kinds: [...kinds] };
  const form = useForm({ values });
  const [text, tone] = status === null ? [] : states[status];
  return (
    <Form
      form={form}
      name="Save"
      saved="Saved."
      onSubmit={async ({ email: typed, kinds: chosen }) => {
        const address = typed.trim();
        await api.notifications.setPreferences({
          ...(address === values.email ? {} : { email: address === '' ? null : address }),
          kinds: chosen,
        });
        await queries.invalidateQueries({ queryKey: KEY });
      }}
    >
      <Field
        label="E-mail address"
        type="email"
        autoComplete="email"
        hint="Only you see it. Leave it empty to get no mails."
        {...inputOf(form, 'email')}
      />
      {text && (
        <p>
          <Badge tone={tone ?? 'plain'}>{text}</Badge>
        </p>
      )}
      <FieldGroup title="Send me a mail when">
        {mailKinds.map((kind) => (
          <Check key={kind} label={names[kind]} value={kind} {...form.register('kinds')} />
        ))}
      </FieldGroup>
    </Form>
  );
}
