import { InvitationList } from './invitation-list.tsx';
import { InviteForm } from './invite-form.tsx';
import { RequestsCard } from './requests-card.tsx';

/** Requests to join to answer; and invitations: send one, follow them, withdraw one. */
export default function InvitationsSection() {
  return (
    <>
      <RequestsCard />
      <InviteForm />
      <InvitationList />
    </>
  );
}
