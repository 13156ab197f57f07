export default function KeysSection() {
  return null;
}
