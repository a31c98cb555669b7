import { z } from 'zod';
import { bool, choice, nullable, optional, text } from '../../http/fields.js';
import { errorSchema } from '../../http/openapi/index.js';

const pageOption = (what: string) => `Whether the public page ${what}.`;

const settings = z
  .object(
    {
      whitelabel: optional(bool()).describe(pageOption('does without the name of the product')),
      noHeader: optional(bool()).describe(pageOption('does without its header')),
      legend: optional(bool()).describe(pageOption('shows the legends of charts; it does unless this is false')),
      detailed: optional(bool()).describe(pageOption('shows the numbers below charts unfolded')),
      hideExtraDetails: optional(bool()).describe(pageOption('hides descriptions and dates')),
      showInspector: optional(bool().refine((isOn) => !isOn, 'Public pages have no inspector.')).describe(
        'Of the player of a recording, which has no inspector: true is refused.',
      ),
      dateRange: optional(bool()).describe(pageOption('lets visitors choose 7, 30 or 90 days or 12 months')),
      downloads: optional(bool()).describe(pageOption('links to its picture and its numbers as files')),
      annotations: optional(bool()).describe(
        pageOption('shows the annotations of its dates on charts over time, as they are written'),
      ),
      theme: optional(nullable(choice(['light', 'dark', 'system']))).describe(
        'Colors of the public page; null: as the visitor has them.',
      ),
    },
    'Not a valid object.',
  )
  .describe('How the public page looks. What is left out has its default.');

/** Body of a PATCH of a sharing configuration. */
export const sharingBody = z
  .object({
    enabled: optional(bool()).describe('True opens the public page, false closes it at once. The address stays the same.'),
    settings: optional(nullable(settings)).describe('How the public page looks, all of it; null for the defaults.'),
    password_required: optional(bool()).describe('Whether visitors must give one of the passwords.'),
  })
  .meta({ example: { enabled: true } });
export type SharingFields = z.output<typeof sharingBody>;

const time = (description: string) => z.string().describe(description).meta({ format: 'date-time' });

const password = {
  id: z.int().describe('Number of the password, by which it is removed.'),
  note: z.string().describe('What the password is called; may be empty.'),
  created_at: time('When the password was made.'),
  created_by_email: z.string().nullable().describe('Who made it; null when the user is gone.'),
};

/** A sharing configuration in responses. */
export const sharingSchema = z
  .object({
    created_at: time('When the configuration was made.'),
    enabled: z.boolean().describe('Whether the public page is open.'),
    access_token: z.string().describe('Secret part of the public page’s address: who has it, sees the page.'),
    settings: z.record(z.string(), z.unknown()).describe('How the public page looks.'),
    password_required: z.boolean().describe('Whether visitors must give one of the passwords.'),
    view_count: z.int().describe('How often the public page was opened. Nothing is kept of who did.'),
    share_passwords: z.array(z.object(password)).describe('The passwords, oldest first, without their values.'),
  })
  .meta({
    id: 'SharingConfiguration',
    description: 'Whether and how a dashboard, an insight or a recording is open to the public.',
  });

/** Body for a new password. */
export const passwordBody = z
  .object({
    raw_password: optional(nullable(text({ max: 200, blank: true, trim: false }))).describe(
      'The password, at least 8 characters; one is made up when it is left out.',
    ),
    note: optional(nullable(text({ max: 100, blank: true }))).describe('A name, to distinguish it from others.'),
  })
  .meta({ example: { raw_password: 'correct horse battery', note: 'For the board' } });
export type PasswordFields = z.output<typeof passwordBody>;

/** Errors of the password endpoints: their own are `{error}`, those of every endpoint have the usual body. */
export const passwordRefusal = z.union([z.object({ error: z.string().describe('What is wrong, for people.') }), errorSchema]);

/** A new password. No other response shows its value. */
export const newPasswordSchema = z.object({
  ...password,
  password: z.string().describe('The password itself. It is not stored and never shown again.'),
});
