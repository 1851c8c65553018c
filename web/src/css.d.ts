declare module "*.css"; // taken up by the bundler
