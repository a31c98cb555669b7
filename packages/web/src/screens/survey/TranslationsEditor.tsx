import { Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../ui/Button.js';
import { IconButton } from '../../ui/IconButton.js';
import { Segmented } from '../../ui/Segmented.js';
import { TextField } from '../../ui/TextField.js';
import { APPEARANCE_TEXTS } from './AppearanceEditor.js';
import type { QuestionDraft } from './draft.js';
import { Part } from './Part.js';
import type { PartProps } from './TargetingEditor.js';

type Texts = Record<string, unknown>;

/** The texts of a survey in other languages. Visitors see the language of their browser. */
export function TranslationsEditor({ draft, edit }: PartProps) {
  const languages = [
    ...new Set([...Object.keys(draft.translations), ...draft.questions.flatMap(({ translations }) => Object.keys(translations))]),
  ].sort();
  const [chosen, setChosen] = useState<string | null>(null);
  const [added, setAdded] = useState('');
  const language = chosen !== null && languages.includes(chosen) ? chosen : (languages[0] ?? null);
  const isLanguage = /^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8}){0,4}$/.test(added);
  const add = () => {
    edit({ translations: { ...draft.translations, [added]: draft.translations[added] ?? {} } });
    setChosen(added);
    setAdded('');
  };
  const remove = (gone: string) => {
    const without = <Value,>(all: Record<string, Value>): Record<string, Value> =>
      Object.fromEntries(Object.entries(all).filter(([name]) => name !== gone));
    edit({
      translations: without(draft.translations),
      questions: draft.questions.map((one) => ({ ...one, translations: without(one.translations) })),
    });
  };
  const setAppearance = (to: string, name: string, text: string) =>
    edit({ translations: { ...draft.translations, [to]: withText(draft.translations[to], name, text) } });
  const setQuestion = (to: string, key: number, name: string, value: unknown) =>
    edit({
      // a language stays while it has no text yet
      translations: { ...draft.translations, [to]: draft.translations[to] ?? {} },
      questions: draft.questions.map((one) =>
        one.key === key
          ? { ...one, translations: { ...one.translations, [to]: withText(one.translations[to], name, value) } }
          : one,
      ),
    });
  return (
    <div className="grid max-w-3xl grid-cols-[minmax(0,1fr)] gap-5">
      <div className="flex flex-wrap items-end gap-3">
        {languages.length > 0 && language !== null && (
          <>
            <Segmented
              label="Language"
              options={languages.map((one) => ({ value: one, label: nameOf(one) }))}
              value={language}
              onChange={setChosen}
            />
            <IconButton label={`Remove ${nameOf(language)}`} onPress={() => remove(language)}>
              <Trash2 size={14} aria-hidden />
            </IconButton>
          </>
        )}
        <div className="w-28">
          <TextField label="Language to add" placeholder="fr" value={added} onChange={setAdded} />
        </div>
        <Button icon={<Plus size={14} aria-hidden />} isDisabled={!isLanguage} onPress={add}>
          Add language
        </Button>
      </div>
      {language === null ? (
        <p className="text-13 text-text-2">
          Everybody sees the texts of the survey. Add a language, and visitors whose browser has it see its texts.
        </p>
      ) : (
        <>
          {draft.questions.map((question, index) => (
            <Part key={question.key} title={`Question ${index + 1}`}>
              {fieldsOf(question).map(({ name, label, original }) => (
                <TextField
                  key={name}
                  label={`${label} (${nameOf(language)})`}
                  placeholder={original}
                  value={textIn(question.translations[language], name)}
                  onChange={(text) => setQuestion(language, question.key, name, text)}
                />
              ))}
              {question.choices.map((choice, place) => (
                <TextField
                  // biome-ignore lint/suspicious/noArrayIndexKey: choices have no identity but their place
                  key={place}
                  label={`Choice ${place + 1} (${nameOf(language)})`}
                  placeholder={choice}
                  value={choicesIn(question.translations[language])[place] ?? ''}
                  onChange={(text) => {
                    const before = choicesIn(question.translations[language]);
                    const next = question.choices.map((_, i) => (i === place ? text : (before[i] ?? '')));
                    setQuestion(language, question.key, 'choices', next.every((one) => one === '') ? '' : next);
                  }}
                />
              ))}
            </Part>
          ))}
          <Part title="Around the questions">
            {APPEARANCE_TEXTS.map(({ name, label }) => (
              <TextField
                key={name}
                label={`${label} (${nameOf(language)})`}
                placeholder={String(draft.appearance[name] ?? '')}
                value={textIn(draft.translations[language], name)}
                onChange={(text) => setAppearance(language, name, text)}
              />
            ))}
          </Part>
        </>
      )}
    </div>
  );
}

/** The texts of a question that it has. */
function fieldsOf({ question, description, buttonText, lowest, highest, kind, link }: QuestionDraft) {
  const isRating = kind === 'rating' || kind === 'nps';
  return [
    { name: 'question', label: 'Question', original: question },
    { name: 'description', label: 'Description', original: description },
    { name: 'buttonText', label: 'Button', original: buttonText },
    ...(kind === 'link' ? [{ name: 'link', label: 'Address', original: link }] : []),
    ...(isRating ? [{ name: 'lowerBoundLabel', label: 'Lowest', original: lowest }] : []),
    ...(isRating ? [{ name: 'upperBoundLabel', label: 'Highest', original: highest }] : []),
  ];
}

const textIn = (texts: Texts | undefined, name: string): string =>
  typeof texts?.[name] === 'string' ? (texts[name] as string) : '';
const choicesIn = (texts: Texts | undefined): string[] => (Array.isArray(texts?.['choices']) ? texts['choices'].map(String) : []);

/** Texts with one of them set; an empty one is left out. */
function withText(texts: Texts = {}, name: string, value: unknown): Texts {
  const { [name]: _before, ...rest } = texts;
  return value === '' ? rest : { ...rest, [name]: value };
}

/** "French (fr)". */
function nameOf(language: string): string {
  try {
    return `${new Intl.DisplayNames(['en'], { type: 'language' }).of(language) ?? language} (${language})`;
  } catch {
    return language;
  }
}
