export default function WebhooksSection() {
  return null;
}
