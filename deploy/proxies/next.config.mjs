// Next.js: pages of the site send to /t/, and Next.js passes it on.
/** @type {import('next').NextConfig} */
export default {
  // capture has addresses with a slash at the end, which Next.js would redirect
  skipTrailingSlashRedirect: true,
  rewrites: async () => [
    { source: '/t/:path*/', destination: 'https://analytics.example.com/:path*/' },
    { source: '/t/:path*', destination: 'https://analytics.example.com/:path*' },
  ],
};
