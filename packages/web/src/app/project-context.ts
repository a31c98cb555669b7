import { getRouteApi } from '@tanstack/react-router';

const route = getRouteApi('/p/$project');

/** The project of the screen. */
export const useProject = () => route.useLoaderData();

/** The number of the project as the address and the API have it. */
export const useProjectId = (): string => route.useParams().project;

/** The person who is logged in. */
export const useMe = () => route.useRouteContext().me;
