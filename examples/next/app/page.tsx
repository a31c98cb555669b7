import Link from 'next/link';
import { Products } from './products';

export default function Page() {
  return (
    <main>
      <h1>Products</h1>
      <Products names={['Anchor', 'Buoy', 'Compass']} />
      <Link href="/about">About</Link>
    </main>
  );
}
