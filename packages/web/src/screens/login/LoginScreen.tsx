import { useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useRouter } from '@tanstack/react-router';
import { FormPage } from '../../app/FormPage.js';
import { LoginForm } from '../../app/LoginForm.js';
import { meQuery } from '../../data/session.js';

const route = getRouteApi('/login');

/** Log-in; afterwards the person is where they wanted to go. */
export function LoginScreen() {
  const router = useRouter();
  const queries = useQueryClient();
  const { next } = route.useSearch();
  return (
    <FormPage
      title="Log in"
      lead="Lost your password? An administrator of this server sets a new one with: tidemark users:password"
    >
      <LoginForm
        onLoggedIn={async () => {
          queries.clear();
          await queries.fetchQuery(meQuery);
          router.history.push(next ?? '/');
        }}
      />
    </FormPage>
  );
}
