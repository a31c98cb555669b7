import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { OBJECT_LEVEL_NAMES, OBJECT_LEVELS, RESOURCES } from '../../app/access-levels.js';
import { useProjectId } from '../../app/project-context.js';
import {
  type AccessRule,
  projectRulesQuery,
  putProjectRule,
  putResourceRule,
  type Role,
  resourceRulesQuery,
  rolesQuery,
} from '../../data/members.js';
import { Card } from '../../ui/Card.js';
import { Select } from '../../ui/Select.js';
import { Fault, Skeleton } from '../../ui/states.js';
import { useRights } from './rights.js';
import { Reason, SettingsPage } from './SettingsPage.js';
import { HEAD, ROW, TABLE } from './table.js';
import { useAccessChange } from './use-access-change.js';

const PROJECT_OPTIONS = [
  { value: 'none', label: 'No access' },
  { value: 'member', label: 'Member' },
  { value: 'admin', label: 'Administrator' },
];
const OBJECT_OPTIONS = OBJECT_LEVELS.map((value) => ({ value: value as string, label: OBJECT_LEVEL_NAMES[value] }));

/** The rules of the project for everybody and for each role. Those of single persons stand in the panel of the person. */
export function AccessScreen() {
  const id = useProjectId();
  const { organization, isProjectAdmin } = useRights();
  const rules = useQuery(projectRulesQuery(id));
  const resourceRules = useQuery(resourceRulesQuery(id));
  const roles = useQuery(rolesQuery(organization));
  const failed = [rules, resourceRules, roles].find((query) => query.error && !query.data);
  const isReady = rules.data && resourceRules.data && roles.data;
  return (
    <SettingsPage title="Access rules">
      {!isProjectAdmin && <Reason>You see the rules and do not change them: that needs an administrator of the project.</Reason>}
      <p className="max-w-prose text-12 text-text-3">
        A rule for a role comes before the rule for everybody, and of several roles the highest counts. One object, such as a
        dashboard, can have rules of its own in its share dialog. Administrators are never restricted. Rules for one person stand
        in <Link to={`/p/${id}/settings/members` as string}>Members and access</Link>.
      </p>
      <Card className="overflow-x-auto">
        {failed?.error ? (
          <Fault title="The rules could not be loaded" detail={failed.error.message} onRetry={() => void failed.refetch()} />
        ) : isReady ? (
          <RuleTable
            projectRules={rules.data.access_controls}
            resourceRules={resourceRules.data.access_controls}
            roles={roles.data}
          />
        ) : (
          <Skeleton rows={8} />
        )}
      </Card>
    </SettingsPage>
  );
}

interface RuleTableProps {
  projectRules: readonly AccessRule[];
  resourceRules: readonly AccessRule[];
  roles: readonly Role[];
}

function RuleTable({ projectRules, resourceRules, roles }: RuleTableProps) {
  const id = useProjectId();
  const run = useAccessChange();
  const subjects = [{ role: null, name: 'Everybody' }, ...roles.map((role) => ({ role: role.id, name: role.name }))];
  const lines = [
    {
      key: 'project',
      label: 'The project itself',
      options: PROJECT_OPTIONS,
      fallback: 'member',
      rules: projectRules,
      put: (role: string | null, level: string | null) => putProjectRule(id, { role }, level),
    },
    ...RESOURCES.map(({ resource, label }) => ({
      key: resource,
      label,
      options: OBJECT_OPTIONS,
      fallback: 'editor',
      rules: resourceRules.filter((rule) => rule.resource === resource),
      put: (role: string | null, level: string | null) => putResourceRule(id, resource, { role }, level),
    })),
  ];
  return (
    <table className={TABLE}>
      <thead>
        <tr className={HEAD}>
          <th>What</th>
          {subjects.map(({ role, name }) => (
            <th key={role}>{name}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {lines.map(({ key, label, options, fallback, rules, put }) => (
          <tr key={key} className={ROW}>
            <th scope="row" className="sticky left-0 bg-surface">
              <span className="font-medium">{label}</span>
            </th>
            {subjects.map(({ role, name }) => (
              <td key={role} className="min-w-44">
                <RuleCell
                  label={`${label}: ${name}`}
                  options={options}
                  inherited={
                    role === null ? (options.find(({ value }) => value === fallback)?.label ?? fallback) : 'As everybody'
                  }
                  rule={rules.find((rule) => rule.organization_member === null && rule.role === role)}
                  onChange={(level) => void run(() => put(role, level))}
                />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

interface RuleCellProps {
  label: string;
  options: readonly { value: string; label: string }[];
  /** What counts without a rule. */
  inherited: string;
  rule: AccessRule | undefined;
  onChange: (level: string | null) => void;
}

function RuleCell({ label, options, inherited, rule, onChange }: RuleCellProps) {
  const { isProjectAdmin } = useRights();
  if (!isProjectAdmin)
    return rule ? (
      (options.find(({ value }) => value === rule.access_level)?.label ?? rule.access_level)
    ) : (
      <span className="text-text-3">{inherited}</span>
    );
  return (
    <Select
      isSmall
      hideLabel
      label={label}
      options={[{ value: '', label: `${inherited} (no rule)` }, ...options]}
      value={rule?.access_level ?? ''}
      onChange={(level) => onChange(level === '' ? null : level)}
    />
  );
}
