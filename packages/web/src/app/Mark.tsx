/** The mark: the line of high water over a wave. */
export const Mark = ({ size = 20 }: { size?: number }) => (
  <svg viewBox="0 0 20 20" width={size} height={size} aria-hidden="true" className="shrink-0">
    <rect width="20" height="20" rx="4.5" fill="var(--accent)" />
    <g fill="none" stroke="var(--accent-ink)" strokeWidth="1.7" strokeLinecap="round" strokeLinejoin="round">
      <path d="M3.8 7.2h12.4" opacity=".55" />
      <path d="M3.8 12.8c1.2-2.2 2.8-2.6 4.2-.5s2.7 2.1 4.1 0 3-2.2 4.1.5" />
    </g>
  </svg>
);
