import { ACCESS_LEVELS, type AccessLevel, DEFAULT_LEVEL } from './levels.js';

/** One rule that applies to somebody, whether through their membership, one of their roles or because it is for everybody. */
export interface Rule {
  /** The object that it is about; null: every object of the resource. */
  objectId: string | null;
  level: AccessLevel;
  /** Whether it names the member or one of the member's roles; false: it is for everybody. */
  isNamed: boolean;
}

/** The effective level of rules about the same object: the highest of the named ones, else the rule for everybody, else null. */
export function levelByRules(rules: readonly Pick<Rule, 'level' | 'isNamed'>[]): AccessLevel | null {
  const named = rules.filter((rule) => rule.isNamed);
  const ranks = (named.length > 0 ? named : rules).map((rule) => ACCESS_LEVELS.indexOf(rule.level));
  return ACCESS_LEVELS[Math.max(...ranks)] ?? null;
}

/** The levels of one caller on a kind of object. */
export interface Levels {
  /** On objects without rules of their own, and for making new ones. */
  resource: AccessLevel;
  /** On objects with rules of their own, which win over the resource's. */
  objects: ReadonlyMap<string, AccessLevel>;
}

/** Resolves all rules that apply to one caller on one kind of object. */
export function resolveLevels(rules: readonly Rule[]): Levels {
  const byObject = new Map<string | null, Rule[]>();
  for (const rule of rules) {
    const others = byObject.get(rule.objectId);
    if (others) others.push(rule);
    else byObject.set(rule.objectId, [rule]);
  }
  const objects = new Map<string, AccessLevel>();
  for (const [id, own] of byObject) {
    const level = levelByRules(own);
    if (id !== null && level !== null) objects.set(id, level);
  }
  return { resource: levelByRules(byObject.get(null) ?? []) ?? DEFAULT_LEVEL, objects };
}
