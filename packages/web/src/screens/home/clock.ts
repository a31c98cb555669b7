import { useEffect, useState } from 'react';

const MINUTE = 60_000;

/** The time, to the minute. It moves on by itself. */
export function useMinute(): Date {
  const [minute, setMinute] = useState(() => Math.floor(Date.now() / MINUTE));
  useEffect(() => {
    const timer = setInterval(() => setMinute(Math.floor(Date.now() / MINUTE)), 1_000);
    return () => clearInterval(timer);
  }, []);
  return new Date(minute * MINUTE);
}

/** The text of a moment in a zone: "16:34", "Monday", "Monday 23 November", "afternoon". */
export function sayMoment(at: Date, timeZone: string) {
  const say = (options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat('en-GB', { ...options, timeZone }).format(at);
  const hour = Number(say({ hour: '2-digit', hourCycle: 'h23' }));
  return {
    time: say({ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }),
    weekday: say({ weekday: 'long' }),
    day: say({ weekday: 'long', day: 'numeric', month: 'long' }).replace(',', ''),
    partOfDay: hour < 5 || hour >= 18 ? 'evening' : hour < 12 ? 'morning' : 'afternoon',
    place: timeZone.split('/').at(-1)?.replaceAll('_', ' ') ?? timeZone,
  };
}
