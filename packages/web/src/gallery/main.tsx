// `/__gallery` of the development server: a page for each control of `ui/`, in its states. The built app has nothing of it.
import '../styles/app.css';
import './gallery.css';
import { StrictMode } from 'react';
import { I18nProvider } from 'react-aria-components';
import { createRoot } from 'react-dom/client';
import { followSystemTheme } from '../app/theme.js';
import { preloadParts } from '../ui/lazy-part.js';
import { Gallery } from './Gallery.js';

followSystemTheme();
preloadParts();
const root = document.getElementById('root');
if (!root) throw new Error('The page has no element for the gallery.');
const name = decodeURIComponent(location.pathname.split('/')[2] ?? '');
createRoot(root).render(
  <StrictMode>
    <I18nProvider locale="en-GB">
      <Gallery name={name} />
    </I18nProvider>
  </StrictMode>,
);
