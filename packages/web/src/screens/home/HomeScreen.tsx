import { useMe } from '../../app/project-context.js';
import { PageBody, PageHead } from '../../ui/PageHead.js';

/** What happened in the project, and what to do next. */
export function HomeScreen() {
  const me = useMe();
  return (
    <>
      <PageHead title={`Good day, ${me.first_name || me.email}`} />
      <PageBody>
        <p className="text-13 text-text-2">Nothing here yet.</p>
      </PageBody>
    </>
  );
}
