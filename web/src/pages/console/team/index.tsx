export default function TeamSection() {
  return null;
}
